package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ResponseMetadataTest {
  private final ResponseMetadata whole = new ResponseMetadata(null);
  private final ResponseMetadata part = new ResponseMetadata(whole);

  @Test
  void keepTheLongestRetryAfterOfAllParts() {
    part.extendRetryAfter(5);
    whole.extendRetryAfter(2);

    assertThat(whole.headers().get("Retry-After")).containsExactly("5");
    assertThat(part.headers()).isEmpty();

    part.extendRetryAfter(30);
    assertThat(whole.headers().get("Retry-After")).containsExactly("30");
  }

  @Test
  void addEachHeaderValueOnceInOrder() {
    whole.addHeaders(Map.of("Warning", List.of("b", "a", "b")));
    whole.addHeaders(Map.of("Warning", List.of("a", "c")));

    assertThat(whole.headers().get("Warning")).containsExactly("b", "a", "c");
  }

  @Test
  void markTheWholeIncompleteByAnyPart() {
    assertThat(whole.isIncomplete()).isFalse();
    part.markIncomplete();
    assertThat(whole.isIncomplete()).isTrue();
  }
}
