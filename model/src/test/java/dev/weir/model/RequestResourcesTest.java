package dev.weir.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestResourcesTest {
  private final RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
  private final RequestResources resources = context.resources();

  @Test
  void knowWhichItemsOfAReplicatedWriteAreRepeated() {
    resources.setDocumentsReplicated();
    assertThat(resources.isPossiblyRepeated(70)).isFalse();
    resources.setPossiblyRepeated(70);
    assertThat(resources.isPossiblyRepeated(70)).isTrue();
    assertThat(resources.isPossiblyRepeated(0)).isFalse();
    assertThat(resources.isPossiblyRepeated(700)).isFalse();
    assertThat(context.newSubContext().resources().isPossiblyRepeated(70)).isFalse();
  }

  @Test
  void tellItemsThatMayBeExecutedFromThoseThatAreOnlyRepeated() {
    resources.setDocumentsReplicated();
    resources.setPossiblyRepeated(1);
    assertThat(resources.isPossiblyExecuted(1)).isFalse();
    resources.setPossiblyExecuted(2);
    assertThat(resources.isPossiblyExecuted(2)).isTrue();
    assertThat(resources.isPossiblyExecuted(1)).isFalse();
    assertThat(context.newSubContext().resources().isPossiblyExecuted(2)).isFalse();
  }

  @Test
  void keepNoRepeatedItemsOfOtherWrites() {
    resources.setPossiblyRepeated(0);
    resources.setPossiblyExecuted(0);
    assertThat(resources.isPossiblyRepeated(0)).isFalse();
    assertThat(resources.isPossiblyExecuted(0)).isFalse();
  }
}
