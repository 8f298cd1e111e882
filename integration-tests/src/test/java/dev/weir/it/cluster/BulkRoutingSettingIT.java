package dev.weir.it.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.it.TestBed;
import dev.weir.it.plugin.PluginPlacements;
import dev.weir.protocol.registry.OpenSearchRegistries;
import dev.weir.testkit.DataNodeCluster;
import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.SharedCluster;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The index setting of Weir's plugin: set through the gateway, seen in a gateway's view. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BulkRoutingSettingIT {
  private static final String KEY = "index.bulk_routing.enabled";
  private static final String ONE_SHARD =
      "\"index.number_of_shards\":1,\"index.number_of_replicas\":0";

  private final DataNodeCluster nodes = SharedCluster.get();
  private final TestBed bed = TestBed.inFrontOf(nodes.seeds());
  private final FollowedCluster followed =
      new FollowedCluster(nodes.seeds(), OpenSearchRegistries.create());

  @BeforeAll
  static void needThePlugin() {
    PluginPlacements.assumeOnAllNodes();
  }

  @AfterAll
  void cleanUp() {
    try (bed;
        followed) {
      weir("DELETE", "/steered-*", "");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"true", "null", "\"perhaps\""})
  void createTheSameIndexAsANode(String value) {
    String settings = "{\"settings\":{" + ONE_SHARD + ",\"" + KEY + "\":" + value + "}}";

    assertThat(created(bed.rest(), settings)).isEqualTo(created(nodes.rest(), settings));
  }

  @Test
  void readTheSettingFromTheClusterState() throws Exception {
    weir("PUT", "/steered-born", "{\"settings\":{" + ONE_SHARD + ",\"" + KEY + "\":true}}");
    weir("PUT", "/steered-plain", "{\"settings\":{" + ONE_SHARD + "}}");

    awaitSetting("steered-born", "true");
    awaitSetting("steered-plain", null);
  }

  @Test
  void switchTheSettingWhileTheIndexIsInUse() throws Exception {
    weir("PUT", "/steered-later", "{\"settings\":{" + ONE_SHARD + "}}");
    for (String value : new String[] {"true", "false", "true", null}) {
      weir("PUT", "/steered-later/_settings", "{\"" + KEY + "\":" + value + "}");
      awaitSetting("steered-later", value);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"legacy", "composable"})
  void comesWithATemplate(String kind) throws Exception {
    String name = "steered-" + kind;
    String settings = "\"settings\":{" + ONE_SHARD + ",\"" + KEY + "\":true}";
    String patterns = "\"index_patterns\":[\"" + name + "-*\"]";
    String template = (kind.equals("legacy") ? "/_template/" : "/_index_template/") + name;
    String body =
        kind.equals("legacy")
            ? "{" + patterns + "," + settings + "}"
            : "{" + patterns + ",\"priority\":700,\"template\":{" + settings + "}}";
    weir("PUT", template, body);
    try {
      weir("PUT", "/" + name + "-1", "{}");
      byte[] document = "{\"index\":{}}\n{\"n\":1}\n".getBytes(StandardCharsets.UTF_8);
      RestReply bulk = bed.rest().bulk("/" + name + "-2/_bulk", document).orThrow();
      assertThat(bulk.body()).contains("\"errors\":false");

      awaitSetting(name + "-1", "true");
      awaitSetting(name + "-2", "true");
    } finally {
      weir("DELETE", template, "");
    }
  }

  /** Creates an index, returns the response and the index's setting, and deletes the index. */
  private static String created(RestClient through, String body) {
    RestReply creation = through.send("PUT", "/steered-same", body);
    RestReply settings =
        through.send(
            "GET", "/steered-same/_settings?filter_path=*.settings.index.bulk_routing,error.type");
    through.send("DELETE", "/steered-same");
    return creation.status() + creation.body() + "\n" + settings.status() + settings.body();
  }

  /** Waits until the view has the index with this value of the setting; null: without it. */
  private void awaitSetting(String index, @Nullable String value) throws InterruptedException {
    followed.await(view ->
        view.state().metadata().hasIndex(index)
            && Objects.equals(view.state().metadata().index(index).getSettings().get(KEY), value));
  }

  private void weir(String method, String path, String body) {
    (body.isEmpty() ? bed.rest().send(method, path) : bed.rest().send(method, path, body))
        .orThrow();
  }
}
