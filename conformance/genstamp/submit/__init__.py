"""Programs for `spark-submit`, which puts the directory of its program before all other modules: hence their own."""
