package dev.weir.it.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.testkit.RestAccess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.SharedCluster;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.junit.TestSeed;
import dev.weir.testkit.process.Ports;
import dev.weir.testkit.process.WorkingTree;
import dev.weir.testkit.secured.CertificateAuthority;
import dev.weir.testkit.secured.IssuedCertificate;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Unpacks and starts the package as users do, and checks that it exposes the metrics that the
 * dashboards, the alerts and the autoscaler use.
 */
@Drawn(oneIn = 3)
class PackageIT {
  private static final String INDEX = "package-it";
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final int MOST_BURSTS = 50;
  private static final int AT_ONCE = 32;

  @TempDir private Path folder;
  private final Random random = TestSeed.random(PackageIT.class);
  private final int port = Ports.findFree(random);
  private final int admin = Ports.findFree(random);

  @Test
  void runThePackageAndExposeItsMetrics() throws Exception {
    Path home = unpack(assemble());
    CertificateAuthority authority = CertificateAuthority.open(folder.resolve("certificates"));
    assertThat(home)
        .isDirectoryContaining("glob:**/README.md")
        .isDirectoryContaining("glob:**/LICENSE")
        .isDirectoryContaining("glob:**/NOTICE");
    assertThat(home.resolve("docs")).isDirectoryContaining("glob:**/reference.yaml");
    Path away = Files.createSymbolicLink(folder.resolve("weir"), home.resolve("bin/weir"));
    Path log = folder.resolve("gateway.log");
    Process gateway =
        command(
                List.of(
                    away.toString(), "run", "--config", config(authority), "--until-stdin-closes"))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try (RestClient rest = new RestClient(URI.create("http://127.0.0.1:" + port));
        RestClient pages =
            new RestClient(
                URI.create("https://127.0.0.1:" + admin),
                new RestAccess(authority.clientTls(null), Map.of()))) {
      boolean ready = Await.holds(TIMEOUT, () -> !gateway.isAlive() || isReady(pages));
      assertThat(ready && gateway.isAlive()).as(Files.readString(log)).isTrue();
      ask(rest);
      MonitoredMetrics emitted = MonitoredMetrics.of(pages.send("GET", "/metrics").body());
      assertThat(emitted.missing("grafana/weir.json")).isEmpty();
      assertThat(emitted.missing("prometheus/weir.rules.yaml")).isEmpty();
      assertThat(emitted.missing("helm/weir/values.yaml")).isEmpty();
    } finally {
      gateway.getOutputStream().close();
      assertThat(gateway.waitFor(TIMEOUT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      try (RestClient node = new RestClient(SharedCluster.get().node(0).httpUri())) {
        node.send("DELETE", "/" + INDEX + "," + INDEX + "-too?ignore_unavailable=true");
      }
    }
    assertThat(gateway.exitValue()).as(Files.readString(log)).isZero();
  }

  private String assemble() throws Exception {
    Path script = WorkingTree.root().resolve("deploy/package/assemble");
    String said = run(List.of(script.toString(), folder.resolve("out").toString()));
    return said.lines().toList().getLast().strip();
  }

  private Path unpack(String archive) throws Exception {
    run(List.of("tar", "-xzf", archive, "-C", folder.toString()));
    String name = Path.of(archive).getFileName().toString().replace(".tar.gz", "");
    return folder.resolve(name);
  }

  private static ProcessBuilder command(List<String> words) {
    ProcessBuilder command = new ProcessBuilder(words);
    command.environment().put("JAVA_HOME", System.getProperty("java.home"));
    command.environment().put("WEIR_JAVA_OPTS", "-XX:TieredStopAtLevel=1 -Xlog:disable");
    return command;
  }

  private static String run(List<String> words) throws Exception {
    Process process = command(words).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    return said;
  }

  /**
   * The test's cluster twice, under different index names. One place per node and no queue, so that
   * many concurrent searches are rejected. The admin port has a certificate, whose expiry the
   * alerts watch.
   */
  private String config(CertificateAuthority authority) throws IOException {
    IssuedCertificate certificate = authority.issue("gateway");
    String seeds =
        SharedCluster.get().seeds().stream()
            .map(seed -> '"' + seed + '"')
            .collect(Collectors.joining(", "));
    return Files.writeString(
            folder.resolve("weir.yaml"),
            """
            clusters:
              blue: {seeds: [%1$s]}
              green: {seeds: [%1$s], index-renames: {%4$s: %4$s-too}}
            http: {listen: "127.0.0.1:%2$d"}
            admin:
              listen: "127.0.0.1:%3$d"
              tls: {enabled: true, certificate-file: "%6$s", key-file: "%7$s"}
            traffic:
              weights: {blue: 1}
              shadow: {target-cluster: green}
              dual-writes: {target-cluster: green, repair-log-directory: "%5$s"}
            admission:
              queue: {min-in-flight-per-node: 1, max-in-flight-per-node: 1, max-waiting: 0}
              pacing:
                rules: [{name: everything, requests-per-second: 1, dry-run: true}]
            """
                .formatted(
                    seeds,
                    port,
                    admin,
                    INDEX,
                    folder.resolve("repair"),
                    certificate.certificateFile(),
                    certificate.keyFile()))
        .toString();
  }

  /** Sends requests of every kind that is counted. */
  private void ask(RestClient rest) throws Exception {
    assertThat(rest.send("GET", "/").orThrow().body()).contains("\"cluster_name\"");
    rest.send("PUT", "/" + INDEX + "?wait_for_active_shards=all").orThrow();
    rest.send("PUT", "/" + INDEX + "/_doc/1?refresh=true", "{\"word\":\"weir\"}").orThrow();
    assertThat(rest.send("GET", "/" + INDEX + "/_count").orThrow().body()).contains("\"count\":1");
    rest.send("GET", "/" + INDEX + "/_search?filter_path=hits.hits._id").orThrow();
    assertThat(rest.send("GET", "/" + INDEX + "/_search?sort=nowhere").status()).isEqualTo(400);
    boolean refused = false;
    for (int i = 0; i < MOST_BURSTS && !refused; i++) {
      refused = searchAtOnce().contains(429);
    }
    assertThat(refused).as("a search was refused").isTrue();
  }

  private List<Integer> searchAtOnce() {
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      URI search = URI.create("http://127.0.0.1:" + port + "/" + INDEX + "/_search");
      List<CompletableFuture<Integer>> answers = new ArrayList<>();
      for (int i = 0; i < AT_ONCE; i++) {
        answers.add(
            client
                .sendAsync(HttpRequest.newBuilder(search).build(), BodyHandlers.discarding())
                .thenApply(answer -> answer.statusCode()));
      }
      return answers.stream().map(CompletableFuture::join).toList();
    }
  }

  private static boolean isReady(RestClient pages) {
    try {
      return pages.send("GET", "/readyz").status() == 200;
    } catch (UncheckedIOException notYet) {
      return false;
    }
  }
}
