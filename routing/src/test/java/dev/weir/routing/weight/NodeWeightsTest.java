package dev.weir.routing.weight;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.weir.model.ShardCopy;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class NodeWeightsTest {
  private long now = 1_000_000;
  private final NodeWeights weights = new NodeWeights(() -> now, new SplittableRandom(7));

  @Test
  void nodesHaveTheirFullWeightAtFirst() {
    assertThat(weights.areFull()).isTrue();
    assertThat(weights.of("a")).isEqualTo(1);
    assertThat(weights.drawsIn("a")).isTrue();
    weights.replace(Map.of("a", NodeWeight.of(1)));
    assertThat(weights.areFull()).as("a full weight is none").isTrue();
  }

  @Test
  void aDrainedNodeNeverTakesPart() {
    weights.replace(Map.of("a", NodeWeight.of(0)));
    assertThat(weights.areFull()).isFalse();
    assertThat(weights.isDrained("a")).isTrue();
    assertThat(weights.isDrained("b")).isFalse();
    for (int i = 0; i < 1000; i++) {
      assertThat(weights.drawsIn("a")).isFalse();
      assertThat(weights.drawsIn("b")).isTrue();
    }
  }

  @Test
  void aWeightIsTheShareOfChoices() {
    weights.replace(Map.of("a", NodeWeight.of(0.25)));
    int drawn = 0;
    for (int i = 0; i < 10_000; i++) {
      drawn += weights.drawsIn("a") ? 1 : 0;
    }
    assertThat(drawn / 10_000.0).isCloseTo(0.25, within(0.02));
    assertThat(weights.isDrained("a")).isFalse();
  }

  @Test
  void aRestoredNodeGetsMoreStepByStep() {
    weights.replace(Map.of("a", new NodeWeight(1, 0, now, 60_000)));
    assertThat(weights.of("a")).as("a little from the start").isEqualTo(0.02);
    now += 15_000;
    assertThat(weights.of("a")).isCloseTo(0.25, within(1e-9));
    now += 30_000;
    assertThat(weights.of("a")).isCloseTo(0.75, within(1e-9));
    now += 15_000;
    assertThat(weights.of("a")).isEqualTo(1);
    assertThat(weights.drawsIn("a")).isTrue();
  }

  @Test
  void aNodeMayBeDrainedStepByStep() {
    weights.replace(Map.of("a", new NodeWeight(0, 1, now, 10_000)));
    now += 5000;
    assertThat(weights.of("a")).isCloseTo(0.5, within(1e-9));
    assertThat(weights.isDrained("a")).isFalse();
    now += 5000;
    assertThat(weights.isDrained("a")).isTrue();
  }

  @Test
  void aClockThatIsBehindSeesTheStart() {
    weights.replace(Map.of("a", new NodeWeight(1, 0.5, now + 5000, 60_000)));
    assertThat(weights.of("a")).isEqualTo(0.5);
  }

  @Test
  void aCopyHasAWeightOfItsOwn() {
    ShardCopy fresh = new ShardCopy("a", "new", false, false, Map.of());
    ShardCopy known = new ShardCopy("a", "old", false, false, Map.of());
    weights.changeCopies(Map.of("new", NodeWeight.of(0)));
    assertThat(weights.areFull()).isFalse();
    assertThat(weights.isDrained("a")).isFalse();
    for (int i = 0; i < 1000; i++) {
      assertThat(weights.drawsIn(fresh)).isFalse();
      assertThat(weights.drawsIn(known)).isTrue();
    }
    weights.replace(Map.of());
    assertThat(weights.ofCopy(fresh)).as("kept when those of nodes change").isZero();

    weights.changeCopies(Map.of("new", new NodeWeight(1, 0, now, 1000)));
    now += 500;
    assertThat(weights.ofCopy(fresh)).isCloseTo(0.5, within(1e-9));
    assertThat(weights.areFull()).isFalse();
    now += 500;
    assertThat(weights.drawsIn(fresh)).isTrue();
    assertThat(weights.areFull()).as("a full weight is none").isTrue();
  }

  @Test
  void allAreFullOnceTheLastRampHasEnded() {
    weights.replace(Map.of("b", new NodeWeight(1, 0, now, 60_000)));
    weights.changeCopies(Map.of("new", new NodeWeight(1, 0, now + 1000, 61_000)));
    now += 61_000;
    assertThat(weights.areFull()).as("the copy's rises for a second more").isFalse();
    now += 1000;
    assertThat(weights.areFull()).isTrue();
    weights.replace(Map.of("b", new NodeWeight(1, 0, now, 10), "a", NodeWeight.of(0)));
    now += 60_000;
    assertThat(weights.areFull()).as("a node is drained").isFalse();
    assertThat(weights.of("b")).isEqualTo(1);
  }
}
