package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter.Decision;
import dev.weir.model.RequestRouter.PassThrough;
import dev.weir.model.RouteFilter;
import org.jspecify.annotations.Nullable;

/**
 * Repeats some of the reads that pass through to a cluster's nodes on another cluster's nodes,
 * after the client has its response. Safe on any thread.
 *
 * @param source the source of the reads
 * @param requestPolicy their policy
 * @param policy which reads are repeated, on which cluster
 */
public record PassThroughShadowFilter(
    ReadSource source, RequestPolicy requestPolicy, ShadowPolicy policy, ShadowService service)
    implements RouteFilter {

  @Override
  public Decision filter(String method, String uri, Decision decision) {
    return decision instanceof PassThrough through ? observe(through, method, uri) : decision;
  }

  /** Bodies of at least this length are not copied. */
  @Override
  public PassThrough filterLargeBody(String method, String uri, PassThrough decision) {
    return decision;
  }

  @Override
  public PassThrough filterAfterBody(String method, String uri, PassThrough decision) {
    return observe(decision, method, uri);
  }

  private PassThrough observe(PassThrough passThrough, String method, String uri) {
    ReadKind kind = ReadKind.of(method, uri);
    return kind == null || !service.shouldSample(policy)
        ? passThrough
        : passThrough.withObserver(head -> observeRead(kind, head));
  }

  private PassThroughObserver.@Nullable ExchangeObserver observeRead(
      ReadKind kind, PassThroughObserver.Head head) {
    SelectedRead.Route route =
        service.chooseRoute(policy, source.cluster(), head.originalUri(), head.bodyLength());
    if (route == null) {
      return null;
    }
    if (PassThroughReadRecorder.isBodyEncoded(head)) {
      service.report().recordSkip(ShadowSkipReason.ENCODED_BODY);
      return null;
    }
    return new PassThroughReadRecorder(
        service,
        new SelectedRead(kind, policy, source, route, SelectedRead.Responder.NODE),
        requestPolicy,
        head,
        service.nanoTime());
  }
}
