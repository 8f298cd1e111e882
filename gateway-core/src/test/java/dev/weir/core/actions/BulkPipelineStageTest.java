package dev.weir.core.actions;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cluster.ClusterView;
import dev.weir.core.actions.DocumentActionsFixture.Sent;
import dev.weir.model.ClientIdentity;
import dev.weir.model.ForwardingExchange;
import dev.weir.model.PassThroughException;
import dev.weir.protocol.NodeCallException.Kind;
import dev.weir.testkit.fixtures.TestExchange;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.delete.DeleteRequest;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.common.io.stream.BytesStreamOutput;
import org.opensearch.core.common.Strings;
import org.opensearch.core.common.breaker.CircuitBreaker.Durability;
import org.opensearch.core.common.breaker.CircuitBreakingException;
import org.opensearch.core.common.bytes.BytesArray;
import org.opensearch.core.common.io.stream.StreamInput;
import org.opensearch.core.tasks.TaskId;
import org.opensearch.core.xcontent.MediaTypeRegistry;
import org.opensearch.transport.ConnectTransportException;

/** Bulks whose pipelines a node runs for the gateway. */
class BulkPipelineStageTest {
  private static final String ACTION = "indices:data/write/weir/run_pipelines";

  /** Two nodes with the role ingest, one of which has the plugin, and an index with a pipeline. */
  private static DocumentActionsFixture world() {
    ClusterView indices =
        DocumentActionsFixture.view(
            1,
            DocumentActionsFixture.index("piped", "u3", 1, "index.default_pipeline", "p"),
            DocumentActionsFixture.index("plain", "u4", 1));
    ClusterView nodes = DocumentActionsFixture.ingesting("n1", "n2");
    DocumentActionsFixture world =
        new DocumentActionsFixture(
            new ClusterView(
                ClusterState.builder(indices.state()).nodes(nodes.state().nodes()).build(),
                nodes.nodes(),
                0,
                false));
    world.pipelineNodes.add("n1");
    return world;
  }

  private static IndexRequest document(String index, String id) {
    return new IndexRequest(index).id(id).source(Map.of("n", 1));
  }

  /** The items that a node gets. */
  private static String requested(Sent sent) {
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      sent.call().payload().writeTo(out);
      StreamInput in = out.bytes().streamInput();
      TaskId.readFromStream(in);
      StringBuilder shown = new StringBuilder();
      for (int left = in.readVInt(); left > 0; left--) {
        DocWriteRequest<?> item = DocWriteRequest.readDocumentRequest(null, in);
        shown.append(item.index()).append('/').append(item.id()).append(' ');
        assertThat(((IndexRequest) item).isPipelineResolved()).isFalse();
      }
      return shown.toString();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private interface Content {
    void write(BytesStreamOutput out) throws IOException;
  }

  private static void reply(Sent sent, int items, Content content) {
    assertThat(sent.call().action()).isEqualTo(ACTION);
    try (BytesStreamOutput out = new BytesStreamOutput()) {
      out.writeVLong(12);
      out.writeVInt(items);
      content.write(out);
      sent.reply(Objects.requireNonNull(sent.call().reader().read(out.bytes().streamInput())));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void writeChanged(BytesStreamOutput out, String index, String id)
      throws IOException {
    out.writeByte((byte) 1);
    IndexRequest changed = document(index, id).setPipeline("_none").setFinalPipeline("_none");
    changed.isPipelineResolved(true);
    DocWriteRequest.writeDocumentRequest(out, changed);
  }

  private static void assertPassedThrough(DocumentActionsFixture world) {
    assertThat(world.response).isNull();
    assertThat(world.failure)
        .isInstanceOf(PassThroughException.class)
        .hasMessage("ingest-pipeline");
  }

  @Test
  void writesWhatThePipelinesMadeOfTheItems() {
    DocumentActionsFixture world = world();
    world.bulk(
        new BulkRequest()
            .add(document("plain", "0"))
            .add(document("piped", "1"))
            .add(document("piped", "2"))
            .add(document("piped", "3"))
            .add(new DeleteRequest("piped", "4"))
            .add(document("piped", "5")));
    assertThat(world.sent).hasSize(1);
    assertThat(requested(world.sent.getFirst())).isEqualTo("piped/1 piped/2 piped/3 piped/5 ");
    reply(
        world.sent.getFirst(),
        4,
        out -> {
          writeChanged(out, "plain", "changed");
          out.writeByte((byte) 2);
          out.writeByte(DocWriteRequest.OpType.INDEX.getId());
          out.writeString("piped");
          out.writeString("2");
          out.writeZLong(-3);
          out.writeByte((byte) 3);
          out.writeByte(DocWriteRequest.OpType.INDEX.getId());
          out.writeOptionalString("piped");
          out.writeOptionalString(null);
          out.writeVInt(409);
          out.writeBytesReference(new BytesArray("{\"type\":\"odd\",\"b\":[1]}".getBytes(UTF_8)));
          out.writeByte((byte) 0);
        });

    assertThat(world.sent).hasSize(3);
    world.sent.get(1).created();
    world.sent.get(2).created();
    BulkItemResponse[] items = Objects.requireNonNull(world.response).getItems();
    assertThat(items).hasSize(6);
    assertThat(items[1].getIndex() + items[1].getId()).isEqualTo("plainchanged");
    assertThat(Strings.toString(MediaTypeRegistry.JSON, items[2]))
        .isEqualTo(
            "{\"index\":{\"_index\":\"piped\",\"_id\":\"2\",\"_version\":-3,\"result\":\"noop\","
                + "\"_shards\":{\"total\":0,\"successful\":0,\"failed\":0},\"status\":200}}");
    assertThat(Strings.toString(MediaTypeRegistry.JSON, items[3]))
        .startsWith("{\"index\":{\"_index\":\"piped\"")
        .contains("\"error\":{\"type\":\"odd\",\"b\":[1]}");
    assertThat(items[5].getId()).isEqualTo("5");
    assertThat(world.response.getIngestTookInMillis()).isEqualTo(12);
    assertThat(world.ingested.documents()).isEqualTo(4);
  }

  @Test
  void writesNothingIfEveryItemIsDropped() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(document("piped", "1")));
    reply(
        world.sent.getFirst(),
        1,
        out -> {
          out.writeByte((byte) 2);
          out.writeByte(DocWriteRequest.OpType.CREATE.getId());
          out.writeString("piped");
          out.writeString("1");
          out.writeZLong(-3);
        });
    assertThat(world.sent).hasSize(1);
    assertThat(Objects.requireNonNull(world.response).getItems()[0].getOpType())
        .isEqualTo(DocWriteRequest.OpType.CREATE);
  }

  /** Nothing was written, so the bulk may go to a node as a whole. */
  @Test
  void passesThroughWhereNoNodeReturnsTheItems() {
    for (Kind kind : new Kind[] {Kind.TIMED_OUT, Kind.MALFORMED, Kind.OVER_BUDGET, Kind.REMOTE}) {
      DocumentActionsFixture world = world();
      world.bulk(new BulkRequest().add(document("piped", "1")));
      world.sent.getFirst().fail(kind, new IllegalStateException("not now"));
      assertThat(world.sent).as(kind.name()).hasSize(1);
      assertPassedThrough(world);
      assertThat(world.ingested.fallbacks()).isEqualTo(1);
    }
  }

  @Test
  void asksAnotherNodeAfterALostOne() {
    DocumentActionsFixture world = world();
    world.pipelineNodes.add("n2");
    world.bulk(new BulkRequest().add(document("piped", "1")));
    String first = world.sent.getFirst().nodeId();
    world.sent.getFirst().fail(Kind.CONNECTION_LOST, new ConnectTransportException(null, "lost"));
    world.later.forEach(Runnable::run);
    assertThat(world.sent).hasSize(2);
    assertThat(world.sent.get(1).nodeId()).isNotEqualTo(first);
    reply(world.sent.get(1), 1, out -> writeChanged(out, "piped", "1"));
    world.sent.get(2).created();
    assertThat(Objects.requireNonNull(world.response).hasFailures()).isFalse();
    assertThat(world.ingested.retries()).isEqualTo(1);
  }

  @Test
  void passesThroughForAFullNodeWithoutRetries() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(document("piped", "1")));
    world
        .sent
        .getFirst()
        .fail(
            Kind.REMOTE,
            new CircuitBreakingException("data for [" + ACTION + "]", Durability.TRANSIENT));
    assertPassedThrough(world);
  }

  @Test
  void leavesToANodeWhatMustStayAsTheClientSentIt() {
    DocumentActionsFixture replicated = world();
    replicated.context.resources().setDocumentsReplicated();
    replicated.bulk(new BulkRequest().add(document("piped", "1")));
    assertPassedThrough(replicated);
    assertThat(replicated.sent).isEmpty();

    DocumentActionsFixture without = world();
    without.pipelineNodes.clear();
    without.bulk(new BulkRequest().add(document("piped", "1")));
    assertPassedThrough(without);
  }

  /** The node that gets the whole bulk checks what the user may do. */
  @Test
  void leavesTheBulksOfUsersToNodes() {
    DocumentActionsFixture world = world();
    world
        .context
        .resources()
        .inheritFrom(
            new ForwardingExchange(TestExchange.of("POST", "/_bulk")) {
              @Override
              public ClientIdentity identity() {
                return new User();
              }
            });
    world.bulk(new BulkRequest().add(document("piped", "1")));
    assertPassedThrough(world);
    assertThat(world.sent).isEmpty();
  }

  private static final class User implements ClientIdentity {
    @Override
    public Map<String, String> transportHeaders() {
      return Map.of();
    }

    @Override
    public boolean isRestricted() {
      return false;
    }

    @Override
    public boolean canSearch(Collection<String> indices) {
      return false;
    }
  }

  @Test
  void rejectsAReplyOfOtherItems() {
    DocumentActionsFixture world = world();
    world.bulk(new BulkRequest().add(document("piped", "1")).add(document("piped", "2")));
    reply(world.sent.getFirst(), 1, out -> out.writeByte((byte) 0));
    assertPassedThrough(world);
  }
}
