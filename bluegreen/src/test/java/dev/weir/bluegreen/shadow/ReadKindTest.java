package dev.weir.bluegreen.shadow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ReadKindTest {
  @ParameterizedTest
  @CsvSource({
    "GET,/_search,SEARCH",
    "POST,/logs-*/_search?q=a:b&size=3,SEARCH",
    "POST,/a/_search/,SEARCH",
    "GET,/a/_search?preference=session17,SEARCH",
    "POST,/_msearch,MSEARCH",
    "GET,/a/_count,COUNT",
    "POST,/a/_mget,MGET",
    "GET,/a/_doc/1?routing=x,GET",
    "GET,/a/_doc/_search,GET",
    "HEAD,/a/_doc/1,EXISTS",
    "HEAD,/a/_source/1,EXISTS",
    "GET,/a/_source/1,SOURCE"
  })
  void readsAreRepeated(String method, String uri, ReadKind kind) {
    assertThat(ReadKind.of(method, uri)).isEqualTo(kind);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PUT /a/_doc/1",
        "POST /a/_doc/1",
        "POST /a/_doc",
        "DELETE /a/_doc/1",
        "POST /_bulk",
        "PUT /a/_search",
        "HEAD /a/_search",
        "POST /a/_update/1",
        "POST /a/_delete_by_query",
        "GET /a/_search?scroll=1m",
        "GET /a/_search?size=1;scroll=1m",
        "GET /a/_search?size=1&scroll",
        "GET /a/_search?%73croll=1m",
        "GET /a/_search?size=0&sample=0.1",
        "GET /a/_search?sample_shards=5&size=0",
        "GET /a/_search?preference=_only_nodes:abc",
        "GET /a/_search?preference=%5Flocal",
        "POST /_search/scroll",
        "POST /a/_search/point_in_time",
        "GET /_search/template",
        "GET /_msearch/template",
        "POST /a/_search/scroll",
        "GET /_plugins/_asynchronous_search/x",
        "POST /a/_weir/export",
        "GET /_cat/indices",
        "GET /",
        "GET /a"
      })
  void rejectRequestsThatAreNotIndependentReads(String request) {
    int space = request.indexOf(' ');
    assertThat(ReadKind.of(request.substring(0, space), request.substring(space + 1))).isNull();
  }
}
