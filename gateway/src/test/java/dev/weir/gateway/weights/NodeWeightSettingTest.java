package dev.weir.gateway.weights;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.routing.weight.NodeWeight;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.opensearch.common.settings.Settings;

final class NodeWeightSettingTest {
  private static final long START = Instant.parse("2026-01-31T12:00:00Z").toEpochMilli();

  private static NodeWeightSetting.Parsed parse(String value) {
    return NodeWeightSetting.parse(
        Settings.builder()
            .put(NodeWeightSetting.key("rack.a node-1"), value)
            .put("cluster.metadata.administrator", "somebody")
            .build());
  }

  private static void assertReadsBack(NodeWeight weight) {
    assertThat(parse(NodeWeightSetting.format(weight)).byName())
        .containsOnlyKeys("rack.a node-1")
        .containsValue(weight);
  }

  @Test
  void readsWhatItWrites() {
    assertReadsBack(NodeWeight.of(0));
    assertReadsBack(NodeWeight.of(0.25));
    assertReadsBack(new NodeWeight(1, 0, START, 60_000));
    assertReadsBack(new NodeWeight(0.5, 0.125, START + 7, 300_000));
  }

  @Test
  void writesAValueThatPeopleCanRead() {
    assertThat(NodeWeightSetting.format(NodeWeight.of(0))).isEqualTo("0");
    assertThat(NodeWeightSetting.format(new NodeWeight(1, 0.25, START, 60_000)))
        .isEqualTo("1 from 0.250 since 2026-01-31T12:00:00Z over 60s");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "2",
        "-0.1",
        "NaN",
        "drained",
        "1 from 0",
        "1 from 0 since yesterday over 60s",
        "1 from 0 since 2026-01-31T12:00:00Z over 99999999999s",
        "1 from 0 since +999999999-12-31T23:59:59Z over 60s"
      })
  void reportsWhatItCantRead(String value) {
    NodeWeightSetting.Parsed parsed = parse(value);
    assertThat(parsed.byName()).isEmpty();
    assertThat(parsed.problems())
        .hasEntrySatisfying(
            NodeWeightSetting.key("rack.a node-1"),
            problem ->
                assertThat(problem).contains("got [" + value + "]", "expected: a weight from 0"));
  }

  @Test
  void keepsTheOtherWeightsThoughOneCannotBeRead() {
    NodeWeightSetting.Parsed parsed =
        NodeWeightSetting.parse(
            Settings.builder()
                .put(NodeWeightSetting.key("a"), "0.5")
                .put(
                    NodeWeightSetting.key("b"),
                    "1 from 0 since +999999999-12-31T23:59:59Z over 60s")
                .put(NodeWeightSetting.key("c"), "0")
                .build());
    assertThat(parsed.byName()).isEqualTo(Map.of("a", NodeWeight.of(0.5), "c", NodeWeight.of(0)));
    assertThat(parsed.problems()).containsOnlyKeys(NodeWeightSetting.key("b"));
  }
}
