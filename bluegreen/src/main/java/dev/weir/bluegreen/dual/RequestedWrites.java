package dev.weir.bluegreen.dual;

import dev.weir.bluegreen.dual.RepairEntry.Cause;
import dev.weir.bluegreen.dual.RepairEntry.Op;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.UnavailableShardsException;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.cluster.block.ClusterBlockException;
import org.opensearch.core.index.Index;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.index.seqno.SequenceNumbers;

/**
 * The writes of a request as the client sent them, captured because execution changes the request.
 * Confined to the request's event loop.
 */
final class RequestedWrites {
  /**
   * Heap bytes of one item while it is repeated: its request, its response and its line of the log.
   */
  private static final long BYTES_PER_ITEM = 1000;

  private final List<? extends DocWriteRequest<?>> requests;
  private final String[] indexNames;
  private final @Nullable String[] routings;
  private final WriteRequest.RefreshPolicy refresh;

  private RequestedWrites(
      List<? extends DocWriteRequest<?>> requests, WriteRequest.RefreshPolicy refresh) {
    this.requests = requests;
    this.refresh = refresh;
    this.indexNames = new String[requests.size()];
    this.routings = new String[requests.size()];
    for (int i = 0; i < routings.length; i++) {
      indexNames[i] = requests.get(i).index();
      routings[i] = requests.get(i).routing();
    }
  }

  /** Captures the writes of a request; null if it writes no documents. */
  static @Nullable RequestedWrites of(ActionRequest request) {
    return switch (request) {
      case BulkRequest bulk -> new RequestedWrites(bulk.requests(), bulk.getRefreshPolicy());
      case DocWriteRequest<?> one ->
          new RequestedWrites(
              List.of(one),
              one instanceof WriteRequest<?> write
                  ? write.getRefreshPolicy()
                  : WriteRequest.RefreshPolicy.NONE);
      default -> null;
    };
  }

  WriteRequest.RefreshPolicy refresh() {
    return refresh;
  }

  /**
   * The heap bytes that the repetition needs besides the documents, which are already accounted.
   */
  long heldBytes() {
    return BYTES_PER_ITEM * requests.size();
  }

  /**
   * Lists the documents that the request is about to write. Call it when their ids are assigned.
   *
   * @param byNode whether a node assigns missing ids
   * @return without those that have failed before they were sent; an empty id stands for all
   *     documents of an index whose ids a node assigns
   */
  List<RepairEntry.Document> toSend(boolean byNode, TargetIndexNames dual) {
    List<RepairEntry.Document> documents = new ArrayList<>(requests.size());
    Set<String> unidentified = new HashSet<>(0);
    String name = "";
    String nameInTarget = "";
    String writeIndex = "";
    for (int i = 0; i < indexNames.length; i++) {
      String id = requests.get(i).id();
      if (!indexNames[i].equals(name)) {
        name = indexNames[i];
        nameInTarget = dual.resolveGatewayRouted(name, name).name();
        writeIndex = byNode ? name : dual.resolveWriteIndex(name);
      }
      if (id != null) {
        documents.add(document(i, nameInTarget, writeIndex, id, byNode));
      } else if (byNode && unidentified.add(name)) {
        documents.add(new RepairEntry.Document(nameInTarget, writeIndex, "", null));
      }
    }
    return documents;
  }

  /**
   * How the first cluster executed the request.
   *
   * @param byNode whether a node coordinated it, and may have changed the documents, their routings
   *     or their indices
   * @param repeated the items that the gateway sent again although they may have been executed
   *     before, by their positions; a node that coordinates does so unseen
   * @param executed those of them of which an attempt was lost, not only rejected
   */
  record Execution(boolean byNode, IntPredicate repeated, IntPredicate executed) {
    /** Whether an item may have changed nothing because an attempt before was executed. */
    boolean mayFollowExecution(int item) {
      return byNode || repeated.test(item);
    }

    /** Whether an item whose last attempt was rejected may be executed. */
    boolean mayBeExecuted(int item) {
      return byNode || executed.test(item);
    }
  }

  /** Collects the writes that were executed or may have been. */
  List<PendingWrite> onResponse(Object response, Execution execution, TargetIndexNames dual) {
    List<PendingWrite> writes = new ArrayList<>(requests.size());
    switch (response) {
      case BulkResponse bulk -> {
        BulkItemResponse[] items = bulk.getItems();
        for (int i = 0; i < items.length; i++) {
          BulkItemResponse.Failure failure = items[i].getFailure();
          if (failure == null) {
            addSucceeded(i, items[i].getResponse(), execution, dual, writes);
          } else {
            FailedWrite failed =
                new FailedWrite(failure.getCause(), failure.getStatus(), failure.getId());
            onFailure(i, failed, execution, dual, writes);
          }
        }
      }
      case DocWriteResponse one -> addSucceeded(0, one, execution, dual, writes);
      default -> {
        // writes of documents have no other responses
      }
    }
    return writes;
  }

  /** Collects the writes of a failed request that may have been executed. */
  List<PendingWrite> onFailure(Exception why, Execution execution, TargetIndexNames dual) {
    List<PendingWrite> writes = new ArrayList<>(0);
    RestStatus status = ExceptionsHelper.status(ExceptionsHelper.unwrapCause(why));
    for (int i = 0; i < requests.size(); i++) {
      onFailure(i, new FailedWrite(why, status, null), execution, dual, writes);
    }
    return writes;
  }

  private void addSucceeded(
      int item,
      DocWriteResponse response,
      Execution execution,
      TargetIndexNames dual,
      List<PendingWrite> to) {
    DocWriteRequest<?> request = requests.get(item);
    Op op =
        switch (response.getResult()) {
          case NOOP -> execution.mayFollowExecution(item) && isStored(response) ? Op.UPDATE : null;
          case DELETED, NOT_FOUND -> Op.DELETE;
          case CREATED, UPDATED -> request instanceof IndexRequest ? Op.INDEX : Op.UPDATE;
        };
    if (op == null) {
      return;
    }
    PendingWrite write =
        newWrite(
            item,
            new Place(response.getIndex(), response.getId()),
            op,
            response.getVersion(),
            execution.byNode(),
            dual);
    if (op == Op.INDEX && !execution.byNode() && request instanceof IndexRequest document) {
      write.setContent(document.source(), document.getContentType(), response.getVersion());
    }
    to.add(write);
  }

  /** Whether there is a document: one that a pipeline drops is a no-op without a number. */
  private static boolean isStored(DocWriteResponse noop) {
    return noop.getSeqNo() != SequenceNumbers.UNASSIGNED_SEQ_NO;
  }

  /** Where the first cluster says that a document is. */
  private record Place(String concreteIndex, String id) {}

  private PendingWrite newWrite(
      int item, Place place, Op op, long version, boolean byNode, TargetIndexNames dual) {
    TargetIndexNames.TargetIndex there =
        byNode
            ? dual.resolveNodeRouted(indexNames[item], place.concreteIndex())
            : dual.resolveGatewayRouted(indexNames[item], place.concreteIndex());
    PendingWrite write =
        new PendingWrite(
            document(item, there.name(), place.concreteIndex(), place.id(), byNode),
            op,
            version,
            requests.get(item).isRequireAlias());
    if (!there.certain()) {
      write.fail(
          DualWriteOutcome.FAILED,
          Cause.ofGateway("unknown-index", "it is not known what its index is called there"));
    }
    return write;
  }

  /**
   * A failed write.
   *
   * @param id the id that a node assigned; null if unknown
   */
  private record FailedWrite(Exception cause, RestStatus status, @Nullable String id) {}

  private void onFailure(
      int item,
      FailedWrite failed,
      Execution execution,
      TargetIndexNames dual,
      List<PendingWrite> to) {
    DocWriteRequest<?> request = requests.get(item);
    boolean byNode = execution.byNode();
    String id = request.id() == null ? failed.id() : request.id();
    if (failed.status() == RestStatus.CONFLICT
        && execution.mayFollowExecution(item)
        && id != null) {
      to.add(newConflictingWrite(item, failed, id, byNode, dual));
      return;
    }
    if (!isOutcomeUnknown(item, failed, execution) || (id == null && !byNode)) {
      return; // without an id nothing was sent: only nodes assign ids later
    }
    String name = indexNames[item];
    Cause why = Cause.of(failed.cause());
    if (id == null) {
      addUnidentified(name, why, to);
      return;
    }
    PendingWrite write =
        new PendingWrite(
            document(item, dual.resolveGatewayRouted(name, name).name(), name, id, byNode),
            Op.UNKNOWN,
            0,
            request.isRequireAlias());
    write.fail(DualWriteOutcome.UNKNOWN, why);
    to.add(write);
  }

  /**
   * A write that met a document which an attempt before may have written. Without an outcome, so
   * that the document is read and written: an entry for each document that a client creates a
   * second time would flood the log.
   */
  private PendingWrite newConflictingWrite(
      int item, FailedWrite failed, String id, boolean byNode, TargetIndexNames dual) {
    Index met =
        ExceptionsHelper.unwrapCause(failed.cause()) instanceof OpenSearchException conflict
            ? conflict.getIndex()
            : null;
    String concrete = met == null ? dual.resolveWriteIndex(indexNames[item]) : met.getName();
    Place place = new Place(concrete, failed.id() == null ? id : failed.id());
    return newWrite(item, place, Op.UNKNOWN, 0, byNode, dual);
  }

  /** One entry for all documents with unknown ids. */
  private void addUnidentified(String index, Cause why, List<PendingWrite> to) {
    for (int i = 0; i < to.size(); i++) {
      PendingWrite before = to.get(i);
      if (before.isUnidentified()) {
        if (!before.document().concreteIndex().equals(index)) {
          to.set(i, PendingWrite.ofUnidentified("", why));
        }
        return;
      }
    }
    to.add(PendingWrite.ofUnidentified(index, why));
  }

  /**
   * Whether a write with this failure may have been executed; errs on the side of true. A write is
   * sent again when its node is lost, and has the failure of the last attempt alone: that the
   * primary was not there in time, that it was full, or that the cluster blocked writes. A
   * rejection of each attempt means that nothing was executed. A block of the index counts only if
   * the gateway lost an attempt: nodes do not say whether they did, and clients that go on writing
   * to a blocked index would flood the log.
   */
  private static boolean isOutcomeUnknown(int item, FailedWrite failed, Execution execution) {
    RestStatus status = failed.status();
    Throwable cause = ExceptionsHelper.unwrapCause(failed.cause());
    return status == RestStatus.REQUEST_TIMEOUT
        || (status == RestStatus.TOO_MANY_REQUESTS && execution.mayBeExecuted(item))
        || (cause instanceof ClusterBlockException block
            && (execution.executed().test(item) || (execution.byNode() && block.retryable())))
        || cause instanceof UnavailableShardsException
        || (status.getStatus() >= RestStatus.INTERNAL_SERVER_ERROR.getStatus()
            && status != RestStatus.SERVICE_UNAVAILABLE
            && status != RestStatus.NOT_IMPLEMENTED);
  }

  /** The routing of the alias, if the gateway has resolved it in the request by now. */
  private RepairEntry.Document document(
      int item, String name, String concrete, String id, boolean byNode) {
    String routing = routings[item];
    String lies = byNode ? routing : requests.get(item).routing();
    return new RepairEntry.Document(name, concrete, id, routing, lies, !byNode);
  }
}
