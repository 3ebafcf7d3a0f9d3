"""Systems: choices of parts, with their properties and configurations."""
