package dev.weir.node.load;

import dev.weir.node.channel.ForwardingChannel;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.bulk.BulkShardResponse;
import org.opensearch.action.get.GetRequest;
import org.opensearch.action.get.MultiGetShardRequest;
import org.opensearch.common.util.concurrent.ThreadContext;
import org.opensearch.core.transport.TransportResponse;
import org.opensearch.transport.TransportChannel;
import org.opensearch.transport.TransportInterceptor;
import org.opensearch.transport.TransportRequest;
import org.opensearch.transport.TransportRequestHandler;

/**
 * Measures the work of shard requests, and adds this node's load to the responses of those that ask
 * for it. Safe on any thread.
 *
 * <p>Requests that a node sends to itself are measured, and never answered with a load: their
 * response headers would become those of the response that the gateway gets.
 */
final class LoadReportInterceptor implements TransportInterceptor {
  /** The handler of a write on the primary's node, in {@code TransportReplicationAction}. */
  private static final String PRIMARY_BULK = "indices:data/write/bulk[s][p]";

  private final ThreadContext context;
  private final WorkTimer timer;
  private final Supplier<@Nullable LoadReporter> reporter;
  private final Set<String> jointActions;

  /**
   * Creates an interceptor.
   *
   * @param reporter null until the node has started
   * @param jointActions actions whose responses are {@link JointResponse}s
   */
  LoadReportInterceptor(
      ThreadContext context,
      WorkTimer timer,
      Supplier<@Nullable LoadReporter> reporter,
      Set<String> jointActions) {
    this.context = context;
    this.timer = timer;
    this.reporter = reporter;
    this.jointActions = jointActions;
  }

  @Override
  public <T extends TransportRequest> TransportRequestHandler<T> interceptHandler(
      String action, String executor, boolean forceExecution, TransportRequestHandler<T> handler) {
    if (action.equals(PRIMARY_BULK)) {
      return (request, channel, task) ->
          handler.messageReceived(request, new ReportingChannel(channel, this::addWrite), task);
    }
    if (jointActions.contains(action)) {
      return jointly(handler);
    }
    WorkKind kind = WorkKind.ofAction(action);
    return kind == null ? handler : reporting(kind, handler);
  }

  /**
   * Takes the time that a primary's thread worked on a bulk. OpenSearch measures it itself, in
   * {@code TransportShardBulkAction}, but does not average it, and tells those that send bulks.
   */
  private void addWrite(@Nullable TransportResponse response) {
    if (response instanceof BulkShardResponse bulk
        && bulk.getServiceTimeEWMAInNanos() != BulkShardResponse.DEFAULT_SERVICE_TIME_IN_NANOS) {
      timer.addWrite(bulk.getServiceTimeEWMAInNanos());
    }
  }

  /** Returns who reports with the response to the current request; null if nobody asked. */
  private @Nullable LoadReporter asked(TransportChannel channel) {
    LoadReporter answering = reporter.get();
    return answering != null
            && answering.isAsked(context.getHeader(LoadHeader.NAME))
            && !ForwardingChannel.isDirect(channel)
        ? answering
        : null;
  }

  /** Reports once for all results in a response. Their work is measured where it is done. */
  private <T extends TransportRequest> TransportRequestHandler<T> jointly(
      TransportRequestHandler<T> handler) {
    return (request, channel, task) -> {
      LoadReporter asked = asked(channel);
      TransportChannel reporting =
          asked == null
              ? channel
              : new ReportingChannel(
                  channel,
                  response -> {
                    WorkKind kind =
                        response instanceof JointResponse joint
                            ? WorkKind.ofAction(joint.workAction())
                            : null;
                    if (kind != null) {
                      context.addResponseHeader(LoadHeader.NAME, asked.report(kind));
                    }
                  });
      handler.messageReceived(request, reporting, task);
    };
  }

  private <T extends TransportRequest> TransportRequestHandler<T> reporting(
      WorkKind kind, TransportRequestHandler<T> handler) {
    return (request, channel, task) -> {
      LoadReporter asked = asked(channel);
      if (kind == WorkKind.WRITE && asked == null) {
        handler.messageReceived(request, channel, task);
        return;
      }
      handler.messageReceived(request, wrap(kind, request, channel, asked), task);
    };
  }

  private TransportChannel wrap(
      WorkKind kind,
      TransportRequest request,
      TransportChannel channel,
      @Nullable LoadReporter asked) {
    long arrived = kind == WorkKind.GET ? timer.now() : 0;
    boolean counts = kind != WorkKind.GET || isOnlyARead(request);
    return new ReportingChannel(
        channel,
        response -> {
          boolean succeeded = response != null;
          switch (kind) {
            case QUERY, FETCH -> timer.endSearch(kind, succeeded);
            case GET -> timer.endRead(arrived, counts && succeeded);
            case WRITE -> {
              // measured where the primary works
            }
          }
          if (asked != null && succeeded) {
            context.addResponseHeader(LoadHeader.NAME, asked.report(kind));
          }
        });
  }

  /**
   * Returns whether a read does what gets usually do. Others may wait for a refresh of an idle
   * shard, or analyze text.
   */
  private static boolean isOnlyARead(TransportRequest request) {
    return (request instanceof GetRequest get && get.realtime() && !get.refresh())
        || (request instanceof MultiGetShardRequest gets && gets.realtime() && !gets.refresh());
  }
}
