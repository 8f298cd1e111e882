package dev.weir.core.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexRequest;

class BulkItemsTest {
  private final BulkItems items =
      new BulkItems(
          new BulkRequest().add(new IndexRequest("a").id("1"), new IndexRequest("a").id("2")),
          () -> 0);

  @Test
  void leaveOpenWhatWasDoneOfThoseInDoubt() {
    items.doubt(1, why -> new IllegalStateException("not known, as " + why.getMessage()));
    items.failRest(new IllegalStateException("no primary"));
    assertThat(Arrays.stream(items.response().getItems()).map(BulkItemResponse::getFailureMessage))
        .containsExactly(
            "java.lang.IllegalStateException: no primary",
            "java.lang.IllegalStateException: not known, as no primary");
  }
}
