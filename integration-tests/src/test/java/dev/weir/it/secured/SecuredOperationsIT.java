package dev.weir.it.secured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.faults.Await;
import dev.weir.it.faults.JsonResponse;
import dev.weir.it.operations.NodeRestarter;
import dev.weir.testkit.DataNode;
import dev.weir.testkit.GatewayChildProcess;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.junit.Drawn;
import dev.weir.testkit.secured.SecuredCluster;
import dev.weir.testkit.secured.SharedSecuredCluster;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Commands for maintenance on a cluster with the security plugin, through a gateway with TLS. */
@Drawn(oneIn = 4)
class SecuredOperationsIT {
  private static final String API = "/_plugins/_security/api/";
  private static final String USER = "operator";
  private static final String PASSWORD = "kestrel-41-lamp-Q";
  private static final String FLUSH = "indices:admin/flush";
  private static final List<String> CLUSTER =
      List.of(
          "cluster:monitor/*",
          "cluster:admin/settings/update",
          "cluster:admin/voting_config/*",
          "cluster:admin/routing/awareness/weights/*");

  @TempDir private static Path folder;
  private static SecuredCluster cluster;
  private static SecuredGateway gateway;
  private static NodeRestarter restarter;
  private int outputs;
  private String settings = "";

  private record Ended(int status, String output) {}

  @BeforeAll
  static void prepare() throws IOException {
    cluster = SharedSecuredCluster.get();
    gateway = SecuredGateway.start(cluster, SecuredGateway.httpTls(cluster), "");
    restarter = new NodeRestarter(folder, cluster.nodes()::nodes);
    Files.writeString(folder.resolve("weir.yaml"), SecuredGateway.config(cluster, "", ""));
    credentials(USER, PASSWORD);
  }

  @AfterAll
  static void close() {
    restarter.close();
    gateway.close();
    admin().send("DELETE", API + "internalusers/" + USER);
    admin().send("DELETE", API + "roles/" + USER);
    cluster.nodes().restore();
  }

  private static RestClient admin() {
    return cluster.nodes().rest();
  }

  private static Path credentials(String user, String password) throws IOException {
    String pair =
        Base64.getEncoder()
            .encodeToString((user + ":" + password).getBytes(StandardCharsets.UTF_8));
    return Files.writeString(
        folder.resolve("credentials-" + password), "Authorization: Basic " + pair);
  }

  @BeforeEach
  void remember() {
    cluster.nodes().awaitGreen();
    settings = settings();
  }

  @AfterEach
  void assertAsBefore() {
    assertThat(settings()).isEqualTo(settings);
    Await.untilValue(
        "full nodes",
        () -> gateway.bed().admin().send("GET", "/nodes").orThrow().body(),
        body -> !body.contains("drained") && !body.contains("rising"));
  }

  private static String settings() {
    return admin().send("GET", "/_cluster/settings?flat_settings=true").orThrow().body();
  }

  private static void grant(List<String> onCluster, String... onIndices) {
    admin()
        .send(
            "PUT",
            API + "roles/" + USER,
            "{\"cluster_permissions\":[%s],\"index_permissions\":[{\"index_patterns\":[\"*\"],"
                    .formatted(quoted(onCluster))
                + "\"allowed_actions\":[%s]}]}".formatted(quoted(List.of(onIndices))))
        .orThrow();
    admin()
        .send(
            "PUT",
            API + "internalusers/" + USER,
            "{\"password\":\"%s\",\"opendistro_security_roles\":[\"%s\"]}"
                .formatted(PASSWORD, USER))
        .orThrow();
  }

  private static String quoted(List<String> texts) {
    return texts.stream().map(text -> '"' + text + '"').collect(Collectors.joining(","));
  }

  private Ended run(Path credentials, String... command) throws IOException {
    List<String> all = new ArrayList<>(Arrays.asList(command));
    all.addAll(
        List.of("--ca-file", cluster.certificates().authority().certificateFile().toString()));
    return runWithoutAuthority(credentials, all);
  }

  private Ended runWithoutAuthority(Path credentials, List<String> command) throws IOException {
    List<String> all = new ArrayList<>(command);
    all.addAll(
        List.of(
            "--config",
            folder.resolve("weir.yaml").toString(),
            "--gateway",
            gateway.uri().toString(),
            "--admin",
            gateway.bed().admin().base().toString(),
            "--header",
            "@" + credentials));
    outputs++;
    Path log = folder.resolve("command-" + System.nanoTime() + "-" + outputs + ".log");
    int status = GatewayChildProcess.run(log, all.toArray(String[]::new));
    return new Ended(status, Files.exists(log) ? Files.readString(log) : "");
  }

  private static void assertRefused(Ended ended, String... reasons) {
    assertThat(ended.status()).as(ended.output()).isEqualTo(1);
    assertThat(ended.output()).contains(reasons);
  }

  /** A node whose restart leaves the cluster manager where it is. */
  private static DataNode restartable() {
    String manager =
        JsonResponse.of(admin().send("GET", "/_cluster/state/cluster_manager_node").orThrow())
            .text("cluster_manager_node");
    return cluster.nodes().nodes().stream()
        .filter(node -> !node.id().equals(manager))
        .findFirst()
        .orElseThrow();
  }

  @Test
  void sayWhatIsWrongWithCredentialsAndCertificates() throws IOException {
    grant(CLUSTER, FLUSH);
    String node = restartable().name();
    Path wrong = credentials(USER, "wrong");
    assertRefused(
        run(wrong, "window", node, "--exec", "true"),
        "status 401",
        "does not accept the credential");
    assertRefused(
        runWithoutAuthority(credentials(USER, PASSWORD), List.of("window", node, "--exec", "true")),
        "no TLS connection to",
        "--ca-file");
  }

  @Test
  void namePermissionsThatAreMissingBeforeAnythingChanges() throws IOException {
    Path own = credentials(USER, PASSWORD);
    String node = restartable().name();
    Path ran = folder.resolve("ran");
    grant(List.of("cluster:monitor/*"), FLUSH);
    assertRefused(
        run(own, "window", node, "--exec", "touch " + ran), "cluster:admin/settings/update");
    grant(List.of("cluster:monitor/health"));
    assertRefused(run(own, "window", node, "--exec", "touch " + ran), "cluster:monitor/state");
    grant(List.of("cluster:monitor/*", "cluster:admin/settings/update"));
    assertRefused(
        run(own, "restart-node", node, "--exec", "touch " + ran, "--dry-run"),
        FLUSH,
        "cluster:admin/voting_config/add_exclusions",
        "cluster:admin/voting_config/clear_exclusions");
    assertThat(ran).doesNotExist();
  }

  @Test
  void runCommandOnADrainedNode() throws IOException {
    grant(CLUSTER, FLUSH);
    String node = restartable().name();
    Path seen = folder.resolve("seen");
    Ended ended =
        run(
            credentials(USER, PASSWORD),
            "window",
            node,
            "--exec",
            "curl -s " + gateway.bed().admin().base() + "/nodes > " + seen,
            "--ramp",
            "1s");
    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(Files.readString(seen)).containsOnlyOnce("\"state\": \"drained\"");
  }

  @Test
  void restartANode() throws IOException {
    grant(CLUSTER, FLUSH);
    DataNode node = restartable();
    Ended ended =
        run(
            credentials(USER, PASSWORD),
            "restart-node",
            node.name(),
            "--exec",
            restarter.command(),
            "--ramp",
            "1s");
    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(ended.output()).contains("indices flushed", "has joined again", "is green");
    assertThat(ended.output()).doesNotContain("was not flushed");
    assertThat(restarter.runs()).containsExactly(node.name());
  }
}
