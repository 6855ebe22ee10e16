"""`up`, `status`, `down`, `doctor`: the local Elasticsearch, and what a connection reaches."""
