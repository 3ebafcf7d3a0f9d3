"""What `spark-submit` runs: `spark-submit conformance/genstamp/submit/logs.py check PATH...`, with the options of
`genstamp logs`.
"""

from genstamp.cli.logs.verb import logs_app

if __name__ == "__main__":
    logs_app()
