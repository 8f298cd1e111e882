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
  void leaveOutWhatFails() {
    round(100);
    assertThat(warmUp.poll()).isEqualTo(FIRST);
    assertThat(warmUp.poll()).isEqualTo(SECOND);
    warmUp.onFailure(FIRST);
    warmUp.onResponse(100);
    for (int i = 0; i < 2; i++) {
      assertThat(warmUp.ended(0)).as("rounds are compared with those of the same length").isNull();
      assertThat(warmUp.poll()).isEqualTo(SECOND);
      assertThat(warmUp.poll()).as("the first one is left out").isNull();
      warmUp.onResponse(100);
    }
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.STEADY);
  }

  @Test
  void endWhenAllFail() {
    warmUp.poll();
    warmUp.poll();
    warmUp.onFailure(SECOND);
    assertThat(warmUp.ended(0)).isNull();
    warmUp.onFailure(FIRST);
    assertThat(warmUp.ended(0)).isEqualTo(WarmUpEnd.FAILED);
  }

  @Test
  void endForOneReason() {
    warmUp.end(WarmUpEnd.MOVED);
    warmUp.end(WarmUpEnd.OVERLOADED);
    assertThat(warmUp.ended(5000)).isEqualTo(WarmUpEnd.MOVED);
  }
}
