package dev.weir.rest;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MetadataChangeDetectorTest {
  @ParameterizedTest
  @CsvSource({
    "PUT, /index",
    "DELETE, /index?timeout=1m",
    "POST, /_aliases",
    "PUT, /index/_mapping",
    "POST, /index/_close",
    "POST, /alias/_rollover",
    "PUT, /_index_template/t",
    "PUT, /_data_stream/logs",
    "PUT, /_cluster/settings",
    "POST, /_reindex",
    "PUT, /_ingest/pipeline/p",
    "PUT, /_search/pipeline/p",
    "DELETE, //_search/pipeline/p?timeout=1m",
    "POST, /_plugins/_ism/add/index",
    "POST, /index/%5Fsearch"
  })
  void recognizeRequestsThatMayChangeMetadata(String method, String uri) {
    assertThat(MetadataChangeDetector.canChangeMetadata(method, uri)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /index",
    "HEAD, /index",
    "POST, /index/_search?search_pipeline=p",
    "GET, /_search/pipeline/p",
    "DELETE, /_search/scroll",
    "POST, /index/_search?q=/_search/pipeline/p",
    "POST, /index/_weir/export",
    "POST, /_bulk?pipeline=p",
    "PUT, /index/_doc/1?pipeline=_p",
    "POST, /_plugins/_sql",
    "POST, /_plugins/_ppl?format=csv",
    "POST, /index/_refresh",
    "POST, /_analyze",
    "POST, /_scripts/painless/_execute"
  })
  void recognizeRequestsThatKeepMetadata(String method, String uri) {
    assertThat(MetadataChangeDetector.canChangeMetadata(method, uri)).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /_bulk, true",
    "PUT, /index/_bulk?refresh, true",
    "POST, /index/_doc, true",
    "PUT, /index/_create/1, true",
    "POST, /index/_update/1, true",
    "GET, /index/_doc/1, false",
    "POST, /index/_search, false",
    "POST, /_msearch, false"
  })
  void recognizeRequestsThatMayCreateAnIndex(String method, String uri, boolean may) {
    assertThat(MetadataChangeDetector.canCreateIndex(method, uri)).isEqualTo(may);
  }
}
