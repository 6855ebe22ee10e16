import pytest,uuid
from elasticsearch import Elasticsearch
@pytest.fixture(scope="session")
def node_url(): return 'http://127.0.0.1:9200'
@pytest.fixture
def index_name(node_url):
    n='t'+uuid.uuid4().hex[:8]; yield n
    c=Elasticsearch(node_url)
    for i in c.indices.get(index=n+'*',expand_wildcards='all'): c.indices.delete(index=i)
    c.close()
