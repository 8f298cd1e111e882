package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Which nodes of a cluster get the plugin. */
final class PluginPlacementTest {
  private static List<Boolean> havePlugin(PluginPlacement placement) {
    return ClusterSpec.ofNodes(3, placement).nodes().stream()
        .map(node -> node.plugins().contains(NodePlugin.WEIR))
        .toList();
  }

  @Test
  void placeThePluginAsTheRunSays() {
    assertThat(havePlugin(PluginPlacement.parse(""))).containsExactly(true, true, true);
    assertThat(havePlugin(PluginPlacement.parse("all"))).containsExactly(true, true, true);
    assertThat(havePlugin(PluginPlacement.parse("one"))).containsExactly(false, false, true);
    assertThat(havePlugin(PluginPlacement.parse("none"))).containsExactly(false, false, false);
    assertThat(ClusterSpec.ofNodes(2).nodes())
        .isEqualTo(ClusterSpec.ofNodes(2, PluginPlacement.ofThisRun()).nodes());
  }

  @Test
  void rejectAnotherPlacement() {
    assertThatThrownBy(() -> PluginPlacement.parse("some"))
        .hasMessage("got weir.it.plugin=some (expected: all, one or none)");
    assertThat(PluginPlacement.ONE).hasToString("weir.it.plugin=one");
  }
}
