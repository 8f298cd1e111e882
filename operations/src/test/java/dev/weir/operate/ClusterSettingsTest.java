package dev.weir.operate;

import static dev.weir.operate.ClusterSettings.ALLOCATION;
import static dev.weir.operate.ClusterSettings.RECOVERY_COUNT;
import static dev.weir.operate.ClusterSettings.RECOVERY_RATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.client.settings.LayeredSettings;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterSettingsTest {
  @Test
  void restorePreviousValues() {
    Map<String, String> previous =
        ClusterSettings.snapshot(
            OperationKind.RESTART_NODE,
            Map.of("transient." + ALLOCATION, "all", "persistent.other.key", "1"));
    assertThat(ClusterSettings.change(previous, ALLOCATION, "primaries"))
        .containsOnly(
            Map.entry("persistent." + ALLOCATION, "primaries"),
            Map.entry("transient." + ALLOCATION, "primaries"));
    assertThat(ClusterSettings.restored(previous, ALLOCATION))
        .containsOnly(
            Map.entry("persistent." + ALLOCATION, ""), Map.entry("transient." + ALLOCATION, "all"));
    assertThat(previous).hasSize(8).doesNotContainKey("persistent.other.key");
    assertThat(ClusterSettings.restoredExceptZones(previous))
        .hasSize(6)
        .doesNotContainKey("persistent." + ClusterSettings.STRICT_ZONES)
        .doesNotContainKey("transient." + ClusterSettings.STRICT_ZONES);
    assertThat(ClusterSettings.body(ClusterSettings.restored(previous, ALLOCATION)))
        .isEqualTo(
            "{\"persistent\":{\""
                + ALLOCATION
                + "\":null},\"transient\":{\""
                + ALLOCATION
                + "\":\"all\"}}");
  }

  @Test
  void changeRecoveriesByWhatSearchesFeel() throws Exception {
    RecoveryPacer pacer = pacer(Map.of(), "41943040b", 10);
    assertThat(pacer.next(10)).containsEntry("persistent." + RECOVERY_RATE, "100mb");
    assertThat(pacer.next(12)).containsEntry("persistent." + RECOVERY_RATE, "200mb");
    assertThat(pacer.next(12)).isEmpty();
    assertThat(pacer.next(14)).containsEntry("persistent." + RECOVERY_RATE, "100mb");
    assertThat(pacer.next(14))
        .containsEntry("persistent." + RECOVERY_RATE, "")
        .containsEntry("persistent." + RECOVERY_COUNT, "");
    assertThat(pacer.next(14)).isEmpty();
  }

  @Test
  void slowRecoveriesDownWhenItIsNotKnownWhatSearchesFeel() throws Exception {
    RecoveryPacer pacer = pacer(Map.of(), "40mb", 10);
    assertThat(pacer.next(1)).containsEntry("persistent." + RECOVERY_RATE, "100mb");
    assertThat(pacer.next(-1)).containsEntry("persistent." + RECOVERY_RATE, "");
    assertThat(pacer.next(-1)).isEmpty();
  }

  @Test
  void leaveRecoveriesAloneThatAnOperatorHasSetOrWithoutBaseline() throws Exception {
    assertThat(pacer(Map.of("transient." + RECOVERY_RATE, "40mb"), "40mb", 10).next(1)).isEmpty();
    assertThat(pacer(Map.of(), "500mb", 10).next(1)).as("set in the nodes' files").isEmpty();
    assertThat(pacer(Map.of(), "40mb", -1).next(1)).isEmpty();
  }

  private static RecoveryPacer pacer(
      Map<String, String> previous, String defaultRate, double baseline) throws OperationException {
    LayeredSettings now =
        LayeredSettings.of(
            JsonObjects.parse(
                "{\"defaults\":{\"%s\":\"%s\",\"%s\":\"2\"}}"
                    .formatted(RECOVERY_RATE, defaultRate, RECOVERY_COUNT)));
    return new RecoveryPacer(previous, now, baseline, 1.3);
  }

  @Test
  void fillTheCommandIn() {
    ClusterLayout.Node node = new ClusterLayout.Node("n", "i", "e", "10.0.0.1", Set.of(), Map.of());
    assertThat(NodeCommand.fill("ssh {host} restart {name} {id} {other}", node))
        .isEqualTo("ssh 10.0.0.1 restart n i {other}");
  }

  @Test
  void runNoCommandWithWhatAShellWouldRead() {
    NodeCommand command =
        new NodeCommand(
            text -> {
              throw new AssertionError(text);
            },
            "ssh {host}",
            UnknownOutcomePolicy.ASK);
    ClusterLayout.Node node =
        new ClusterLayout.Node("n", "i", "e", "h; reboot", Set.of(), Map.of());
    ClusterLayout.Node silent = new ClusterLayout.Node("n", "i", "e", "", Set.of(), Map.of());
    assertThatThrownBy(() -> command.run(silent))
        .isInstanceOf(NodeCommand.FailedException.class)
        .hasMessageContaining("is empty");
    assertThatThrownBy(() -> command.run(node))
        .isInstanceOf(NodeCommand.FailedException.class)
        .hasMessageContaining("was not run");
  }
}
