package dev.weir.bluegreen.dual;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.rest.ForwardedBulkAction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.opensearch.Version;
import org.opensearch.action.bulk.BulkAction;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.index.IndexAction;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.update.UpdateAction;
import org.opensearch.cluster.metadata.AliasMetadata;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.cluster.metadata.Metadata;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.core.rest.RestStatus;

/** Writes whose index, routing or id differs from the client's request. */
class ReroutedDualWritesTest extends DualWriteTestCase {
  @Test
  void readsWithTheRoutingThatAnAliasGives() throws Exception {
    world.blue.alias("logs", "logs-1", "r");
    world.green.alias("logs", "logs-1", "r");
    world.answered(IndexAction.INSTANCE, index("1", "a"));
    world.answered(UpdateAction.INSTANCE, update("1", "b"));
    assertSame();
    assertThat(world.green.all()).containsEntry("logs-1/1", "2:{\"updated\":{\"v\":\"b\"}}");
    world.reachable(false);
    world.answered(UpdateAction.INSTANCE, update("1", "c"));
    world.answered(IndexAction.INSTANCE, index("2", "d"));
    assertThat(world.logged())
        .allMatch(entry ->
            entry instanceof RepairEntry.DocumentEntry of
                && of.document().routing() == null
                && "r".equals(of.document().sourceRouting()));
    assertThat(RepairFixture.run(world, directory, false)).isTrue();
    assertSame();
    assertThat(world.green.all()).hasSize(2);
  }

  @Test
  void deletesNothingThatANodeHasDirectedAndThatIsNotFound() throws Exception {
    world.blue.directing(null, "r");
    world.green.put("logs", "1", 1, "{\"v\":\"old\"}");
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.loggedDocuments()).containsExactly("index 1 1 not-found");
    assertThat(world.green.all()).containsEntry("logs/1", "1:{\"v\":\"old\"}");
    List<String> said = new ArrayList<>();
    RepairRunner.Options wish =
        new RepairRunner.Options(entry -> true, false, false, false, Duration.ofSeconds(1));
    assertThat(RepairFixture.run(world, directory, wish, said)).isFalse();
    assertThat(said).anyMatch(line -> line.contains("can't be found in blue"));
    assertThat(world.green.all()).containsEntry("logs/1", "1:{\"v\":\"old\"}");
    RepairRunner.Options dismissing =
        new RepairRunner.Options(entry -> true, false, false, true, Duration.ofSeconds(1));
    assertThat(RepairFixture.run(world, directory, dismissing, said)).isTrue();
  }

  @Test
  void writesWhereAPipelineHasMovedADocument() {
    world.names(name -> "g-" + name);
    world.blue.directing("archive", null);
    world.metadata(
        Metadata.builder().put(metadata("archive", null)).put(metadata("logs-1", "logs")).build());
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("1", "a")));
    assertThat(world.green.all()).containsOnlyKeys("g-archive/1");
    world.blue.directing("logs-1", null);
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("2", "a")));
    assertThat(world.green.all()).containsOnlyKeys("g-archive/1", "g-logs/2");
    assertThat(world.logged()).isEmpty();
    world.blue.directing("logs-2", null); // of the alias, or a pipeline's choice
    world.answered(ForwardedBulkAction.INSTANCE, new BulkRequest().add(index("3", "a")));
    assertThat(world.green.all()).hasSize(2);
    assertThat(world.loggedDocuments()).containsExactly("index 3 1 unknown-index");
  }

  private static IndexMetadata.Builder metadata(String index, @Nullable String alias) {
    IndexMetadata.Builder made =
        IndexMetadata.builder(index)
            .settings(
                Settings.builder().put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT))
            .numberOfShards(1)
            .numberOfReplicas(0);
    return alias == null ? made : made.putAlias(AliasMetadata.builder(alias));
  }

  @Test
  void logOnceWritesOfUnknownOutcomeWithUnknownIds() {
    world.blue.refusing(write -> refusal(RestStatus.INTERNAL_SERVER_ERROR, "the node is lost"));
    BulkRequest bulk = new BulkRequest();
    bulk.add(new IndexRequest("logs").source("{}", XContentType.JSON));
    bulk.add(new IndexRequest("logs").source("{}", XContentType.JSON));
    world.answered(ForwardedBulkAction.INSTANCE, bulk);
    assertThat(world.logged())
        .singleElement()
        .isInstanceOfSatisfying(
            RepairEntry.RequestEntry.class,
            entry -> assertThat(entry.path()).isEqualTo("/logs/_bulk"));
    assertThat(outcome(DualWriteOutcome.UNKNOWN)).isOne();
    world.answered(
        BulkAction.INSTANCE,
        new BulkRequest().add(new IndexRequest("logs").source("{}", XContentType.JSON)));
    assertThat(world.logged()).hasSize(1);
  }
}
