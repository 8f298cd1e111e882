package dev.weir.gateway.actions.dual;

import dev.weir.gateway.actions.dual.RepairEntry.Op;
import dev.weir.gateway.actions.dual.RepairEntry.Why;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.action.ActionRequest;
import org.opensearch.action.DocWriteRequest;
import org.opensearch.action.DocWriteResponse;
import org.opensearch.action.bulk.BulkItemResponse;
import org.opensearch.action.bulk.BulkRequest;
import org.opensearch.action.bulk.BulkResponse;
import org.opensearch.action.index.IndexRequest;
import org.opensearch.action.support.WriteRequest;
import org.opensearch.core.rest.RestStatus;

/**
 * What a client asked to be written, as it said it: carrying the request out changes it. Confined
 * to its request's home.
 */
final class AskedWrites {
  /**
   * What an item takes while it is repeated: its request, the answer to it, its line in the log.
   */
  private static final long ITEM_BYTES = 1000;

  /** How names begin that are worked out from the time. */
  private static final String DATE_MATH = "<";

  private final List<? extends DocWriteRequest<?>> requests;
  private final @Nullable String[] routings;
  private final WriteRequest.RefreshPolicy refresh;

  private AskedWrites(
      List<? extends DocWriteRequest<?>> requests, WriteRequest.RefreshPolicy refresh) {
    this.requests = requests;
    this.refresh = refresh;
    this.routings = new String[requests.size()];
    for (int i = 0; i < routings.length; i++) {
      routings[i] = requests.get(i).routing();
    }
  }

  /** What a request asks for; null when it is none that writes documents. */
  static @Nullable AskedWrites of(ActionRequest request) {
    return switch (request) {
      case BulkRequest bulk -> new AskedWrites(bulk.requests(), bulk.getRefreshPolicy());
      case DocWriteRequest<?> one ->
          new AskedWrites(
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

  /** What repeating it takes, bytes; what its documents take is paid for. */
  long price() {
    return ITEM_BYTES * requests.size();
  }

  /**
   * What was done of it, or may have been.
   *
   * @param readBack whether a node may have made other documents of those that were sent
   */
  List<PendingWrite> answered(Object response, boolean readBack, UnaryOperator<String> names) {
    List<PendingWrite> writes = new ArrayList<>(requests.size());
    switch (response) {
      case BulkResponse bulk -> {
        BulkItemResponse[] items = bulk.getItems();
        for (int i = 0; i < items.length; i++) {
          BulkItemResponse.Failure failure = items[i].getFailure();
          if (failure == null) {
            done(i, items[i].getResponse(), readBack, names, writes);
          } else {
            failed(i, failure.getCause(), failure.getStatus(), names, writes);
          }
        }
      }
      case DocWriteResponse one -> done(0, one, readBack, names, writes);
      default -> {
        // nothing that writes documents has another answer
      }
    }
    return writes;
  }

  /** What may have been done of it although it failed. */
  List<PendingWrite> failed(Exception why, UnaryOperator<String> names) {
    List<PendingWrite> writes = new ArrayList<>(0);
    RestStatus status = ExceptionsHelper.status(ExceptionsHelper.unwrapCause(why));
    for (int i = 0; i < requests.size(); i++) {
      failed(i, why, status, names, writes);
    }
    return writes;
  }

  private void done(
      int item,
      DocWriteResponse response,
      boolean readBack,
      UnaryOperator<String> names,
      List<PendingWrite> to) {
    DocWriteRequest<?> request = requests.get(item);
    Op op =
        switch (response.getResult()) {
          case NOOP -> null;
          case DELETED, NOT_FOUND -> Op.DELETE;
          case CREATED, UPDATED -> request instanceof IndexRequest ? Op.INDEX : Op.UPDATE;
        };
    if (op == null) {
      return;
    }
    PendingWrite write =
        write(item, op, response.getIndex(), response.getId(), response.getVersion(), names);
    if (op == Op.INDEX && !readBack && request instanceof IndexRequest document) {
      write.becomes(document.source(), document.getContentType(), response.getVersion());
    }
    to.add(write);
  }

  private void failed(
      int item,
      Exception why,
      RestStatus status,
      UnaryOperator<String> names,
      List<PendingWrite> to) {
    DocWriteRequest<?> request = requests.get(item);
    if (!leavesItOpen(status) || request.id() == null) {
      return; // ids are given before anything is sent
    }
    PendingWrite write = write(item, Op.UNKNOWN, request.index(), request.id(), 0, names);
    write.missed(Outcome.UNKNOWN, Why.of(why));
    to.add(write);
  }

  /** Whether a failure leaves open whether the write was done; rather too often than too seldom. */
  private static boolean leavesItOpen(RestStatus status) {
    return status == RestStatus.REQUEST_TIMEOUT
        || (status.getStatus() >= RestStatus.INTERNAL_SERVER_ERROR.getStatus()
            && status != RestStatus.SERVICE_UNAVAILABLE
            && status != RestStatus.NOT_IMPLEMENTED);
  }

  private PendingWrite write(
      int item, Op op, String concrete, String id, long version, UnaryOperator<String> names) {
    DocWriteRequest<?> request = requests.get(item);
    String said = request.index();
    String name = said.startsWith(DATE_MATH) ? concrete : said; // means another one tomorrow
    return new PendingWrite(
        new RepairEntry.Document(names.apply(name), concrete, id, routings[item]),
        op,
        version,
        request.isRequireAlias());
  }
}
