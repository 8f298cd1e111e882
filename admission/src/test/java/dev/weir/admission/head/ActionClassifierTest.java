package dev.weir.admission.head;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.policy.PacingPolicy.Action;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ActionClassifierTest {
  @ParameterizedTest
  @CsvSource({
    "GET, /_search, SEARCH",
    "POST, /logs/_search?q=_bulk, SEARCH",
    "GET, /_all/_search, SEARCH",
    "POST, /_search/scroll, SEARCH",
    "POST, //logs//_count, SEARCH",
    "POST, /_msearch, SEARCH",
    "POST, /_plugins/_asynchronous_search, SEARCH",
    "POST, /_plugins/_sql?x, SEARCH",
    "POST, /_plugins, OTHER",
    "GET, /logs/_doc/1, GET",
    "HEAD, /logs/_doc/1, GET",
    "GET, /logs/_source/1, GET",
    "POST, /_mget, GET",
    "PUT, /logs/_doc/1, WRITE",
    "DELETE, /logs/_doc/1, WRITE",
    "POST, /logs/_doc, WRITE",
    "PUT, /logs/_create/1, WRITE",
    "POST, /logs/_update/_search, WRITE",
    "POST, /logs/_update_by_query, WRITE",
    "POST, /_reindex, WRITE",
    "POST, /_bulk, BULK",
    "PUT, /logs/_bulk?refresh, BULK",
    "GET, /, OTHER",
    "PUT, /logs, OTHER",
    "GET, /_cat/indices/_search, OTHER",
    "GET, /logs/_mapping, OTHER",
    "GET, /logs/type/_search, OTHER",
    "GET, /?_search, OTHER"
  })
  void tellsTheKindByMethodAndPath(String method, String uri, Action action) {
    assertThat(ActionClassifier.classify(method, uri)).isEqualTo(action);
  }

  @ParameterizedTest
  @CsvSource({
    "POST, /_plugins/_sql, true",
    "POST, /_plugins/_sql/, true",
    "POST, /_plugins//_sql?format=csv, true",
    "POST, /_opendistro/_sql, true",
    "POST, /_plugins/%5fsql, true",
    "POST, //_plugins///_sql//, true",
    "POST, _plugins/_sql, false",
    "POST, _sql, false",
    "POST, /x_sql, false",
    "POST, //, false",
    "GET, /_sql?sql=DELETE, true",
    "POST, /_plugins/_sql/_explain, false",
    "POST, /_plugins/_sql/close, false",
    "POST, /_plugins/_ppl, false",
    "POST, /_search?q=/_sql, false",
    "PUT, /logs/_doc/1, true",
    "POST, /_bulk, true"
  })
  void recognizeRequestsThatMayChangeDocuments(String method, String uri, boolean may) {
    assertThat(ActionClassifier.mayChangeDocuments(method, uri)).isEqualTo(may);
  }

  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void classifyAnyNumberOfSlashesAtOnce() {
    String slashes = "/".repeat(4000);

    assertThat(ActionClassifier.mayChangeDocuments("GET", slashes + "x")).isFalse();
    assertThat(ActionClassifier.mayChangeDocuments("GET", slashes + "_sql" + slashes)).isTrue();
    assertThat(ActionClassifier.isRepeatableRead("POST", "/_search" + slashes + "x")).isTrue();
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /_search, true",
    "POST, /logs/_search/template, true",
    "POST, /_search/scroll, true",
    "DELETE, /_search/scroll, false",
    "DELETE, /_search/point_in_time/_all, false",
    "GET, /_search/pipeline/p, true",
    "PUT, /_search/pipeline/p, false",
    "DELETE, /_search/pipeline/p, false",
    "POST, /_plugins/_ppl, true",
    "POST, /_plugins/_sql, false",
    "POST, /_opendistro/_sql, false",
    "GET, /_plugins/_sql?sql=DELETE, false",
    "GET, /_plugins/%5Fsql?sql=DELETE, false",
    "GET, /_plugins/_%73ql, false",
    "GET, /logs/_doc/%5F%, true",
    "POST, /_mget, true",
    "HEAD, /logs/_doc/1, true",
    "POST, /_bulk, false",
    "PUT, /logs/_doc/1, false",
    "GET, /_cat/indices, true",
    "PUT, /logs, false"
  })
  void recognizeReadOnlyRequests(String method, String uri, boolean reads) {
    assertThat(ActionClassifier.isRead(method, uri)).isEqualTo(reads);
  }

  @ParameterizedTest
  @CsvSource({
    "GET, /_search, true",
    "POST, /logs/_search?scroll=1m, true",
    "POST, /logs/_search/point_in_time?keep_alive=1m, true",
    "POST, /_msearch, true",
    "HEAD, /logs/_doc/1, true",
    "GET, /_cat/indices, true",
    "POST, /_search/scroll, false",
    "GET, /_search/scroll/abc, false",
    "GET, /_search/%73croll?scroll_id=abc, false",
    "GET, /_search//scroll, false",
    "GET, /scroll/_search, true",
    "GET, /logs/_doc/scroll, true",
    "POST, /_plugins/_asynchronous_search, false",
    "POST, /logs/_async_search, false",
    "GET, /_plugins/_asynchronous_search/abc, true",
    "POST, /_bulk, false",
    "PUT, /logs/_doc/1, false"
  })
  void repeatReadsThatChangeNothingWhenRejected(String method, String uri, boolean repeatable) {
    assertThat(ActionClassifier.isRepeatableRead(method, uri)).isEqualTo(repeatable);
  }
}
