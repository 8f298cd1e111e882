package dev.weir.core.reduce.items;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;

class BulkResponseCollectorTest {
  private final BulkResponseCollector items =
      new BulkResponseCollector(
          new BulkRequest().add(new IndexRequest("a").id("1"), new IndexRequest("a").id("2")),
          () -> 0);

  @Test
  void reportUncertainItemsAsUnknown() {
    items.markUncertain(1, why -> new IllegalStateException("not known, as " + why.getMessage()));
    items.failRest(new IllegalStateException("no primary"));
    assertThat(
            Arrays.stream(items.buildResponse().getItems())
                .map(BulkItemResponse::getFailureMessage))
        .containsExactly(
            "java.lang.IllegalStateException: no primary",
            "java.lang.IllegalStateException: not known, as no primary");
  }
}
