package dev.weir.core.actions.authorization;

import dev.weir.core.coordinate.DelayScheduler;
import dev.weir.protocol.ChannelKind;
import dev.weir.protocol.NodeCall;
import dev.weir.protocol.NodeCallException;
import dev.weir.protocol.NodeClient;
import dev.weir.protocol.NodeClients;
import dev.weir.protocol.ReplyFrame;
import dev.weir.protocol.ReplyHandler;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.get.GetResponse;
import org.opensearch.action.get.MultiGetAction;
import org.opensearch.action.get.MultiGetItemResponse;
import org.opensearch.action.get.MultiGetRequest;
import org.opensearch.action.get.MultiGetResponse;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Reads documents of the index in which the security plugin keeps its configuration, with the
 * gateway's own certificate, as nodes read them. Asks the next node where one is silent for {@link
 * #MAX_SILENCE}: a frozen node stays connected. Safe on any thread; never blocks.
 */
final class SecurityDocumentReader {
  static final String SECURITY_INDEX = ".opendistro_security";

  /** How long a node may take before the next one is asked too. */
  static final Duration MAX_SILENCE = Duration.ofMillis(100);

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /** With three nodes frozen the fourth still answers before the rules are too old. */
  private static final int MAX_ATTEMPTS = 4;

  /** Marks a request of the cluster itself; nodes believe it from certificates of nodes alone. */
  private static final Map<String, String> HEADERS =
      Map.of("_opendistro_security_conf_request", "true");

  private final NodeClients nodes;
  private final DelayScheduler scheduler;
  private final AtomicInteger turn = new AtomicInteger();

  SecurityDocumentReader(NodeClients nodes, DelayScheduler scheduler) {
    this.nodes = nodes;
    this.scheduler = scheduler;
  }

  /**
   * A document that exists.
   *
   * @param source null if it was not asked for
   */
  record Document(@Nullable BytesReference source, Version version) {}

  /** Changes whenever a document changes, as long as its index exists. */
  record Version(long seqNo, long primaryTerm, long version) {}

  /**
   * Reads documents.
   *
   * @param ids of the documents
   * @param withoutSource those of which only the version is needed
   * @return completes on any thread, with the documents that exist, by id
   */
  CompletableFuture<Map<String, Document>> read(List<String> ids, Set<String> withoutSource) {
    List<? extends NodeClient> connected =
        nodes.all().stream().filter(NodeClient::isConnected).toList();
    if (connected.isEmpty()) {
      return CompletableFuture.failedFuture(NodeCallException.unknownNode("any"));
    }
    int first = Math.floorMod(turn.getAndIncrement(), connected.size());
    List<NodeClient> inTurn = new ArrayList<>();
    for (int i = 0; i < Math.min(MAX_ATTEMPTS, connected.size()); i++) {
      inTurn.add(connected.get((first + i) % connected.size()));
    }
    Read read = new Read(inTurn, ids, withoutSource);
    read.askNext();
    return read.documents;
  }

  /** One read: the first node that answers decides. Safe on any thread. */
  private final class Read implements ReplyHandler<MultiGetResponse> {
    private final CompletableFuture<Map<String, Document>> documents = new CompletableFuture<>();
    private final List<NodeClient> inTurn;
    private final List<String> ids;
    private final Set<String> withoutSource;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();

    Read(List<NodeClient> inTurn, List<String> ids, Set<String> withoutSource) {
      this.inTurn = inTurn;
      this.ids = ids;
      this.withoutSource = withoutSource;
    }

    void askNext() {
      int next = documents.isDone() ? inTurn.size() : asked.getAndIncrement();
      if (next >= inTurn.size()) {
        return;
      }
      var call =
          inTurn
              .get(next)
              .send(
                  new NodeCall<>(
                      MultiGetAction.NAME,
                      request(),
                      MultiGetAction.INSTANCE.getResponseReader(),
                      ChannelKind.CONTROL,
                      HEADERS,
                      TIMEOUT),
                  Runnable::run,
                  this);
      documents.whenComplete((read, failure) -> call.abandon());
      scheduler.schedule(MAX_SILENCE, Runnable::run, this::askNext);
    }

    private MultiGetRequest request() {
      MultiGetRequest request = new MultiGetRequest();
      for (String id : ids) {
        MultiGetRequest.Item item = new MultiGetRequest.Item(SECURITY_INDEX, id);
        if (withoutSource.contains(id)) {
          item.fetchSourceContext(FetchSourceContext.DO_NOT_FETCH_SOURCE);
        }
        request.add(item);
      }
      return request;
    }

    @Override
    public void onReply(MultiGetResponse reply, ReplyFrame frame) {
      try {
        documents.complete(documentsOf(reply));
      } catch (RuntimeException unreadable) {
        onFailed(unreadable);
      }
    }

    @Override
    public void onFailure(NodeCallException failure) {
      onFailed(failure);
    }

    private void onFailed(Exception failure) {
      if (failed.incrementAndGet() == inTurn.size()) {
        documents.completeExceptionally(failure);
      } else {
        askNext();
      }
    }
  }

  private static Map<String, Document> documentsOf(MultiGetResponse reply) {
    Map<String, Document> documents = new HashMap<>();
    for (MultiGetItemResponse item : reply) {
      if (item.isFailed()) {
        throw new IllegalArgumentException(item.getFailure().getMessage());
      }
      GetResponse document = item.getResponse();
      if (document.isExists()) {
        documents.put(
            document.getId(),
            new Document(
                document.getSourceAsBytesRef(),
                new Version(
                    document.getSeqNo(), document.getPrimaryTerm(), document.getVersion())));
      }
    }
    return documents;
  }
}
