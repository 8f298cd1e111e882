package dev.weir.core.actions.warmup;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.opensearch.core.index.Index;
import org.opensearch.core.index.shard.ShardId;

/** When the warm-up of a copy ends. */
class CopyWarmUpTest {
  private static final RememberedSearch FIRST = SearchMemoryTest.search("1");
  private static final RememberedSearch SECOND = SearchMemoryTest.search("2");

  private final CopyWarmUp warmUp =
      new CopyWarmUp(
          new NewCopies.NewCopy(new ShardId(new Index("i", "u"), 0), "node", "copy"),
          List.of(FIRST, SECOND),
          1000);

  /** Plays a round of two searches. */
  private void round(long nanos) {
    assertThat(warmUp.poll()).isEqualTo(FIRST);
    assertThat(warmUp.poll()).isEqualTo(SECOND);
    assertThat(warmUp.poll()).as("before the round has ended").isNull();
    warmUp.onResponse(nanos);
    assertThat(warmUp.poll()).as("before the round has ended").isNull();
    warmUp.onResponse(nanos);
  }

  @Test
  void endWhenRoundsGetNoFaster() {
    round(100);
    assertThat(warmUp.ended(0)).isNull();
    round(50);
    assertThat(warmUp.ended(0)).isNull();
    round(20);
    assertThat(warmUp.ended(0)).isNull();
    round(19);
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.STEADY);
    assertThat(warmUp.poll()).isNull();
  }

  @Test
  void endAtItsTime() {
    round(100);
    assertThat(warmUp.ended(999)).isNull();
    assertThat(warmUp.ended(1000)).isEqualTo(WarmUpEnd.MAX_DURATION);
    assertThat(warmUp.poll()).isNull();
  }

  @Test
  void endAfterFailuresInARow() {
    warmUp.poll();
    warmUp.poll();
    warmUp.onFailure();
    warmUp.onFailure();
    assertThat(warmUp.ended(0)).isNull();
    round(10);
    assertThat(warmUp.poll()).isEqualTo(FIRST);
    warmUp.onFailure();
    assertThat(warmUp.poll()).isEqualTo(SECOND);
    warmUp.onFailure();
    assertThat(warmUp.ended(0)).as("a response came between").isNull();
    warmUp.poll();
    warmUp.onFailure();
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.FAILED);
  }

  @Test
  void endForOneReason() {
    warmUp.end(WarmUpEnd.MOVED);
    warmUp.end(WarmUpEnd.OVERLOADED);
    assertThat(warmUp.ended(5000)).isEqualTo(WarmUpEnd.MOVED);
  }
}
