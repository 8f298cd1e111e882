package dev.weir.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.config.load.LoadResult;
import dev.weir.config.load.PolicyLoader;
import dev.weir.config.policy.AdminPolicy;
import dev.weir.config.policy.GatewayPolicy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.snakeyaml.engine.v2.api.Dump;
import org.snakeyaml.engine.v2.api.DumpSettings;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

/** The files in {@code deploy/} agree with the gateway and with each other: ports, paths, times. */
class DeployFilesTest {
  private static final Path DEPLOY = Path.of("..", "deploy");
  private static final Map<String, String> ENVIRONMENT =
      Map.of("WEIR_ADMIN_TOKEN", "0123456789abcdef");

  private static String text(String file) throws IOException {
    return Files.readString(DEPLOY.resolve(file));
  }

  private static Object tree(String text) {
    return new Load(LoadSettings.builder().build()).loadFromString(text);
  }

  /** The value at the end of a path of keys. */
  private static Object at(Object tree, String... keys) {
    Object found = tree;
    for (String key : keys) {
      Object next = found instanceof Map<?, ?> map ? map.get(key) : null;
      if (next == null) {
        throw new AssertionError("got no " + key + " of " + List.of(keys) + " (expected: a value)");
      }
      found = next;
    }
    return found;
  }

  private static GatewayPolicy policy(String name, String yaml) {
    return switch (new PolicyLoader(ENVIRONMENT).parse(name, yaml)) {
      case LoadResult.Loaded(GatewayPolicy policy, _) -> policy;
      case LoadResult.Invalid refused -> throw new AssertionError(refused.render());
    };
  }

  private static Duration drain(GatewayPolicy policy) {
    return policy.admin().drainDelay().plus(policy.admin().drainTimeout());
  }

  @Test
  void parseEveryYamlFile() throws IOException {
    try (Stream<Path> files = Files.walk(DEPLOY)) {
      List<Path> found =
          files
              .filter(file -> file.toString().endsWith(".yaml"))
              .filter(file -> !file.toString().contains("templates"))
              .toList();
      assertThat(found).hasSizeGreaterThan(5);
      for (Path file : found) {
        assertThat(tree(Files.readString(file))).as(file.toString()).isInstanceOf(Map.class);
      }
    }
  }

  @Test
  void parseTheYamlOfTheDocument() throws IOException {
    String document = Files.readString(Path.of("..", "docs", "deploy.md"));
    List<String> blocks =
        Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL)
            .matcher(document)
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(blocks).hasSize(2);
    assertThat(at(tree(blocks.get(0)), "rules")).isInstanceOf(List.class);
    assertThat(at(tree(blocks.get(1)), "rule_files")).isEqualTo(List.of("weir.rules.yaml"));
  }

  @Test
  void loadTheExample() throws IOException {
    policy("conf/weir.yaml", text("package/conf/weir.yaml"));
  }

  @Test
  void useTheSamePortsInComposeAndItsConfiguration() throws IOException {
    GatewayPolicy policy = policy("weir.yaml", text("compose/conf/weir.yaml"));
    Object compose = tree(text("compose/compose.yaml"));
    Object weir = at(compose, "services", "weir");
    assertThat(policy.admin().token()).isEqualTo(ENVIRONMENT.get("WEIR_ADMIN_TOKEN"));
    assertThat(at(weir, "environment", "WEIR_ADMIN_TOKEN").toString())
        .startsWith("${WEIR_ADMIN_TOKEN:?");
    assertThat(at(weir, "healthcheck", "test").toString())
        .contains("/dev/tcp/127.0.0.1/" + policy.health().listen().port() + " ");
    assertThat(at(weir, "ports"))
        .isEqualTo(
            List.of(
                "127.0.0.1:9200:" + policy.http().listen().port(),
                "127.0.0.1:9250:" + policy.admin().listen().port()));
    assertThat(at(weir, "volumes")).isEqualTo(List.of("./conf:/etc/weir:ro"));
    assertThat(DEPLOY.resolve("compose").resolve((String) at(weir, "build", "context")))
        .as("the folder of ./weir package")
        .extracting(path -> path.normalize().toString())
        .isEqualTo(Path.of("..", "target").toString());
    assertThat(
            DEPLOY
                .resolve("compose")
                .resolve((String) at(weir, "build", "context"))
                .resolve((String) at(weir, "build", "dockerfile"))
                .normalize())
        .isEqualTo(DEPLOY.resolve("docker/Dockerfile").normalize());
    String grace = (String) at(weir, "stop_grace_period");
    assertThat(Duration.parse("PT" + grace)).isGreaterThan(drain(policy));
    assertThat(policy.defaultCluster().seeds())
        .hasSize(3)
        .allSatisfy(seed -> assertThat(at(compose, "services", seed.host())).isNotNull());
  }

  @Test
  void matchTheChartWithItsConfiguration() throws IOException {
    String file = text("helm/weir/values.yaml");
    assertThat(file).contains("\n  clusters: {} ");
    Object values =
        tree(
            file.replace(
                "\n  clusters: {} ",
                "\n  clusters: {main: {seeds: [\"node:9300\"], authorization: none}} "));
    String yaml = new Dump(DumpSettings.builder().build()).dumpToString(at(values, "policy"));
    GatewayPolicy policy = policy("values.yaml", yaml);
    assertThat(at(values, "ports", "http")).isEqualTo(policy.http().listen().port());
    assertThat(at(values, "ports", "admin")).isEqualTo(policy.admin().listen().port());
    assertThat(policy.http().listen().host()).isEqualTo("0.0.0.0");
    assertThat(at(values, "ports", "health")).isEqualTo(policy.health().listen().port());
    assertThat(policy.health().listen().host()).isEqualTo("0.0.0.0");
    assertThat(policy.health().enabled()).isTrue();
    assertThat(policy.health().metricsEnabled()).isTrue();
    assertThat(AdminPolicy.isLoopback(policy.admin().listen())).isTrue();
    int before = (int) at(values, "preStopSeconds");
    assertThat(Duration.ofSeconds((int) at(values, "terminationGracePeriodSeconds")))
        .as("what a pod may take to end")
        .isGreaterThanOrEqualTo(drain(policy).plusSeconds(before + 10));
  }

  /** Every value that a template uses exists in the default values. */
  @Test
  void useOnlyExistingValuesInTemplates() throws IOException {
    Object values = tree(text("helm/weir/values.yaml"));
    Pattern named = Pattern.compile("\\.Values((?:\\.\\w+)+)");
    List<String> names;
    try (Stream<Path> templates = Files.list(DEPLOY.resolve("helm/weir/templates"))) {
      names =
          templates
              .flatMap(file -> named.matcher(read(file)).results())
              .map(result -> result.group(1).substring(1))
              .toList();
    }
    assertThat(names).hasSizeGreaterThan(20);
    for (String name : names) {
      at(values, name.split("\\."));
    }
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void serveTheProbesOfTheChart() throws Exception {
    String template = text("helm/weir/templates/deployment.yaml");
    List<String> paths =
        Pattern.compile("path: (/\\S+)")
            .matcher(template)
            .results()
            .map(result -> result.group(1))
            .toList();
    assertThat(paths).containsExactly("/livez", "/livez", "/readyz");
    String here =
        """
        clusters: {main: {seeds: ["127.0.0.1:1"]}}
        http: {listen: "127.0.0.1:0", event-loops: 1}
        admin: {listen: "127.0.0.1:0"}
        health: {enabled: true, listen: "127.0.0.1:0", metrics-enabled: true}
        """;
    try (Gateway gateway = Gateway.start(policy("test", here));
        HttpClient client = HttpClient.newHttpClient()) {
      int port = Objects.requireNonNull(gateway.healthAddress()).getPort();
      URI health = URI.create("http://127.0.0.1:" + port);
      for (String path : List.of("/livez", "/readyz", "/metrics")) {
        HttpRequest request = HttpRequest.newBuilder(health.resolve(path)).build();
        assertThat(client.send(request, BodyHandlers.discarding()).statusCode())
            .as(path)
            .isEqualTo(path.equals("/readyz") ? 503 : 200);
      }
    }
    assertThat(template).doesNotContain("port: admin");
    assertThat(text("helm/weir/templates/servicemonitor.yaml"))
        .contains("port: health\n      path: /metrics");
  }

  /** A tag may name another image tomorrow; a digest can't. */
  @Test
  void nameImagesByDigest() throws IOException {
    List<String> images =
        Stream.of("docker/Dockerfile", "compose/compose.yaml")
            .flatMap(file ->
                Pattern.compile(
                        "^(?:ARG BASE=|FROM (?!\\$\\{BASE\\})| *image: )(\\S+)", Pattern.MULTILINE)
                    .matcher(read(DEPLOY.resolve(file)))
                    .results())
            .map(result -> result.group(1))
            .toList();
    assertThat(images).hasSize(2).allMatch(image -> image.matches("[^@]+@sha256:[0-9a-f]{64}"));
    assertThat(text("helm/weir/templates/deployment.yaml"))
        .contains("{{ with .Values.image.digest }}@{{ . }}{{ end }}\"\n");
  }

  @Test
  void runThePackagesCommandInTheImage() throws IOException {
    String image = text("docker/Dockerfile");
    assertThat(image)
        .contains("EXPOSE 9200 9250 9260\n", "USER 10001:10001\n", "STOPSIGNAL SIGTERM\n")
        .contains("ENTRYPOINT [\"/opt/weir/bin/weir\"]\n")
        .contains("CMD [\"run\", \"--config\", \"/etc/weir/weir.yaml\"]\n")
        .doesNotContain("\nHEALTHCHECK");
    assertThat(text("helm/weir/templates/deployment.yaml"))
        .contains("mountPath: /etc/weir\n", "runAsUser: 10001\n", "readOnlyRootFilesystem: true\n");
    assertThat(text("systemd/weir.service"))
        .contains("\nExecStart=/opt/weir/bin/weir run --config /etc/weir/weir.yaml\n")
        .contains("\nExecReload=/bin/kill -HUP $MAINPID\n", "\nType=notify\n", "\nWatchdogSec=");
  }
}
