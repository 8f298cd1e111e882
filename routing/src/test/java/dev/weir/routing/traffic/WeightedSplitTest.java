package dev.weir.routing.traffic;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class WeightedSplitTest {
  private static final int KEYS = 100_000;

  private static WeightedSplit split(Object... pairs) {
    Map<String, Double> weights = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      weights.put((String) pairs[i], ((Number) pairs[i + 1]).doubleValue());
    }
    return WeightedSplit.of(weights, "first");
  }

  private static String draw(WeightedSplit split, int key) {
    return split.draw(WeightedSplit.hash("10.0." + key / 256 + "." + key % 256));
  }

  private static Map<String, Integer> shares(WeightedSplit split) {
    Map<String, Integer> drawn = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      drawn.merge(draw(split, key), 1, Integer::sum);
    }
    return drawn;
  }

  /** Returns how many keys move, by {@code from->to}. */
  private static Map<String, Integer> moves(WeightedSplit before, WeightedSplit after) {
    Map<String, Integer> moved = new HashMap<>();
    for (int key = 0; key < KEYS; key++) {
      String from = draw(before, key);
      String to = draw(after, key);
      if (!from.equals(to)) {
        moved.merge(from + "->" + to, 1, Integer::sum);
      }
    }
    return moved;
  }

  @Test
  void sharesAreTheWeights() {
    Map<String, Integer> drawn = shares(split("blue", 70, "green", 25, "amber", 5, "red", 0));
    assertThat(drawn).containsOnlyKeys("blue", "green", "amber");
    assertThat(drawn.get("blue")).isBetween(KEYS * 69 / 100, KEYS * 71 / 100);
    assertThat(drawn.get("green")).isBetween(KEYS * 24 / 100, KEYS * 26 / 100);
    assertThat(drawn.get("amber")).isBetween(KEYS * 4 / 100, KEYS * 6 / 100);
    assertThat(shares(split("blue", 0.7, "green", 0.25, "amber", 0.05)))
        .as("weights are shares of their sum")
        .isEqualTo(drawn);
  }

  @Test
  void numbersOneAfterTheOtherAreSpreadToo() {
    WeightedSplit split = split("blue", 90, "green", 10);
    int green = 0;
    for (long key = 0; key < KEYS; key++) {
      green += split.draw(key).equals("green") ? 1 : 0;
    }
    assertThat(green).isBetween(KEYS * 9 / 100, KEYS * 11 / 100);
  }

  @Test
  void moveOnlyTheShiftedFractionOfKeys() {
    Map<String, Integer> moved =
        moves(split("blue", 90, "green", 10), split("blue", 80, "green", 20));
    assertThat(moved).containsOnlyKeys("blue->green");
    assertThat(moved.get("blue->green")).isBetween(KEYS * 9 / 100, KEYS * 11 / 100);
    assertThat(moves(split("blue", 80, "green", 20), split("blue", 0, "green", 1)))
        .containsOnlyKeys("blue->green");
    assertThat(
            moves(
                split("blue", 80, "green", 10, "amber", 10),
                split("blue", 80, "green", 30, "amber", 10)))
        .containsOnlyKeys("blue->green", "amber->green");
  }

  @Test
  void ignoreTheOrderOfTheFile() {
    assertThat(moves(split("blue", 3, "green", 2), split("green", 2, "blue", 3))).isEmpty();
  }

  @Test
  void moveOnlyTheKeysOfARemovedCluster() {
    WeightedSplit split = split("blue", 50, "green", 30, "amber", 20);
    int[] taken = new int[2];
    for (int key = 0; key < KEYS; key++) {
      long hash = WeightedSplit.hash("client" + key);
      String with = split.draw(hash);
      String without = split.draw(hash, cluster -> !cluster.equals("blue"));
      if (with.equals("blue")) {
        taken["green".equals(without) ? 0 : 1]++;
      } else {
        assertThat(without).isEqualTo(with);
      }
    }
    assertThat((double) taken[0] / taken[1]).isBetween(1.45, 1.55);
    assertThat(split.draw(7, cluster -> false)).isNull();
    assertThat(split.draw(7, cluster -> cluster.equals("red"))).isNull();
  }

  @Test
  void useTheGivenClusterWithoutWeights() {
    assertThat(split().draw(1)).isEqualTo("first");
    assertThat(split("blue", 0).draw(2)).isEqualTo("first");
    assertThat(split("blue", 0).clusters()).containsExactly("first");
    assertThat(split().draw(1, cluster -> false)).isNull();
    assertThat(split("blue", 1, "green", 0).clusters()).containsExactly("blue");
  }

  /** Gateways of different builds must split alike, so these values never change. */
  @Test
  void keepAssignmentsAcrossVersions() {
    assertThat(WeightedSplit.hash("")).isEqualTo(0xcbf29ce484222325L);
    assertThat(WeightedSplit.hash("a")).isEqualTo(0xaf63dc4c8601ec8cL);
    assertThat(WeightedSplit.hash("foobar")).isEqualTo(0x85944171f73967e8L);
    WeightedSplit split = split("blue", 60, "green", 30, "amber", 10);
    StringBuilder drawn = new StringBuilder();
    for (int key = 0; key < 40; key++) {
      drawn.append(split.draw(WeightedSplit.hash("tenänt-" + key)).charAt(0));
    }
    assertThat(drawn).hasToString("ggbbbbbbbbgbbgbbgbbgggbbbbgbgggabbbbbbgb");
  }
}
