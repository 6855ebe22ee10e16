"""A real Elasticsearch on this machine, from Python alone: `pip install 'esdedup[local]'`."""

from esdedup.local.service import NodeInfo, NodeOptions, down, status, up, up_cluster

__all__ = ["NodeInfo", "NodeOptions", "down", "status", "up", "up_cluster"]
