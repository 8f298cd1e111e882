package dev.weir.it.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.process.WorkingTree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/**
 * Checks the files under {@code deploy/} with the programs that use them, if these are installed.
 */
class DeployToolsTest {
  private static final Path DEPLOY = WorkingTree.root().resolve("deploy");
  private static final String SEEDS_ALONE = "policy.clusters.main.seeds={nodes:9300}";
  private static final String SEEDS = SEEDS_ALONE + ",policy.clusters.main.authorization=none";

  /** Every alert fires in the shipped tests. */
  @Test
  void testEveryAlert() throws IOException {
    assertThat(named("weir.rules.test.yaml", "alertname=\"(\\w+)\""))
        .isEqualTo(named("weir.rules.yaml", "- alert: (\\w+)"))
        .hasSizeGreaterThan(15);
  }

  private static Set<String> named(String file, String pattern) throws IOException {
    String text = Files.readString(DEPLOY.resolve("prometheus").resolve(file));
    Set<String> names = new TreeSet<>();
    for (MatchResult match : Pattern.compile(pattern).matcher(text).results().toList()) {
      names.add(match.group(1));
    }
    return names;
  }

  @Test
  void alertsFireWhenTheyShould() throws Exception {
    assumeThereIs("promtool", "--version");
    String folder = DEPLOY.resolve("prometheus") + "/";
    run("promtool", "check", "rules", folder + "weir.rules.yaml");
    run("promtool", "test", "rules", folder + "weir.rules.test.yaml");
  }

  @Test
  void helmRendersTheChart() throws Exception {
    assumeThereIs("helm", "version");
    run("helm", "lint", "--strict", DEPLOY.resolve("helm/weir").toString(), "--set", SEEDS);
    assertThat(kinds(template(SEEDS).orThrow()))
        .containsExactlyInAnyOrder(
            "ConfigMap",
            "Deployment",
            "NetworkPolicy",
            "PodDisruptionBudget",
            "Service",
            "Service");
    String all =
        template(
                SEEDS,
                "autoscaling.enabled=true,serviceMonitor.enabled=true",
                "restartOnPolicyChange=true,preStopSeconds=5,podLabels.a=b,podAnnotations.c=d",
                "policy.http.max-connections=1000000,image.digest=sha256:0a",
                "adminToken.secretName=admin,cursorSecret.secretName=cursor")
            .orThrow();
    assertThat(kinds(all)).contains("HorizontalPodAutoscaler", "ServiceMonitor");
    assertThat(all)
        .contains("max-connections: 1000000\n", "@sha256:0a\"\n")
        .contains("token: ${file:/etc/weir-admin/token}\n", "mountPath: /etc/weir-admin\n")
        .contains("cursor-secret: ${file:/etc/weir-cursor/secret}\n")
        .contains("mountPath: /etc/weir-cursor\n", "secretName: cursor\n");
    assertThat(template("policyText=# mine\nb: 1\na: 2").orThrow())
        .contains("    # mine\n    b: 1\n    a: 2\n");
  }

  @Test
  void reportMissingHelmValues() throws Exception {
    assumeThereIs("helm", "version");
    assertThat(template().output()).contains("got no policy.clusters");
    assertThat(template(SEEDS_ALONE).output())
        .contains("got no policy.clusters.main.authorization (expected: none if every client");
    assertThat(template(SEEDS, "ports.http=80").output())
        .contains(
            "got policy.http.listen 0.0.0.0:9200 (expected: port 80, the value of ports.http)");
  }

  private static Run template(String... values) throws InterruptedException {
    List<String> command = new ArrayList<>(List.of("helm", "template", "weir"));
    command.addAll(List.of(DEPLOY.resolve("helm/weir").toString(), "--kube-version", "1.34.0"));
    for (String value : values) {
      command.addAll(List.of("--set", value));
    }
    return execute(command.toArray(String[]::new));
  }

  /** Returns the kinds of the objects in a rendered chart. */
  private static List<String> kinds(String rendered) {
    Load load = new Load(LoadSettings.builder().build());
    List<String> kinds = new ArrayList<>();
    for (Object object : load.loadAllFromString(rendered)) {
      if (object instanceof Map<?, ?> map) {
        kinds.add(String.valueOf(map.get("kind")));
      }
    }
    return kinds;
  }

  @Test
  void composeReadsItsFile() throws Exception {
    assumeThereIs("docker", "compose", "version");
    String file = DEPLOY.resolve("compose/compose.yaml").toString();
    assertThat(run("docker", "compose", "-f", file, "config", "--services").lines())
        .containsExactlyInAnyOrder("opensearch-1", "opensearch-2", "opensearch-3", "weir");
  }

  @Test
  void systemdReadsItsUnit(@TempDir Path folder) throws Exception {
    assumeThereIs("systemd-analyze", "--version");
    Path unit = folder.resolve("weir.service");
    String text = Files.readString(DEPLOY.resolve("systemd/weir.service"));
    Files.writeString(unit, text.replace("/opt/weir/bin/weir", "/bin/true"));
    assertThat(run("systemd-analyze", "verify", "--man=no", unit.toString())).isEmpty();
  }

  /** Returns the proxy configurations in the documents. */
  @Test
  void nginxReadsItsConfiguration(@TempDir Path folder) throws Exception {
    assumeThereIs("nginx", "-v");
    Path file = folder.resolve("nginx.conf");
    String own = "pid %1$s/pid; error_log %1$s/log; events {}\nhttp {\naccess_log off;\n";
    for (String kind : List.of("client_body", "proxy", "fastcgi", "uwsgi", "scgi")) {
      own += kind + "_temp_path %1$s/" + kind + ";\n";
    }
    Files.writeString(file, own.formatted(folder) + block("nginx") + "}\n");
    run("nginx", "-t", "-c", file.toString());
  }

  @Test
  void haproxyReadsItsConfiguration(@TempDir Path folder) throws Exception {
    assumeThereIs("haproxy", "-v");
    Path file = Files.writeString(folder.resolve("haproxy.cfg"), block("haproxy"));
    run("haproxy", "-c", "-f", file.toString());
  }

  private static String block(String tag) throws IOException {
    String page = Files.readString(WorkingTree.root().resolve("docs/migration.md"));
    String[] parts = page.split("```" + tag + "\n", -1);
    assertThat(parts).as(tag).hasSize(2);
    return parts[1].substring(0, parts[1].indexOf("```"));
  }

  private static void assumeThereIs(String... command) throws Exception {
    Run there = execute(command);
    assumeTrue(there.ok(), String.join(" ", command) + " is missing here: " + there.output());
  }

  private static String run(String... command) throws Exception {
    return execute(command).orThrow();
  }

  /** The result of a command. */
  private record Run(boolean ok, String output) {
    String orThrow() {
      assertThat(ok).as(output).isTrue();
      return output;
    }
  }

  private static Run execute(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      String output = new String(process.getInputStream().readAllBytes(), UTF_8);
      boolean ended = process.waitFor(1, TimeUnit.MINUTES);
      return new Run(ended && process.exitValue() == 0, output);
    } catch (IOException missing) {
      return new Run(false, String.valueOf(missing.getMessage()));
    }
  }
}
