package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import org.jspecify.annotations.Nullable;

/**
 * Has some of the reads that pass through to nodes of a cluster repeated at nodes of another one,
 * after they were answered. Safe on any thread.
 *
 * @param source whose reads they are
 * @param requestPolicy the policy that they go by
 * @param router decides which way they go
 * @param policy says which are repeated where
 */
public record PassThroughShadowRouter(
    ShadowingHandler.Source source,
    RequestPolicy requestPolicy,
    RequestRouter router,
    ShadowPolicy policy,
    ShadowService service)
    implements RequestRouter {

  @Override
  public Decision route(String method, String uri) {
    Decision way = router.route(method, uri);
    return way instanceof PassThrough through ? observe(through, method, uri) : way;
  }

  /** A body of this length is not copied. */
  @Override
  public PassThrough routeLargeBody(String method, String uri) {
    return router.routeLargeBody(method, uri);
  }

  @Override
  public PassThrough routeAfterBody(String method, String uri, String reason) {
    return observe(router.routeAfterBody(method, uri, reason), method, uri);
  }

  private PassThrough observe(PassThrough way, String method, String uri) {
    ReadKind kind = ReadKind.of(method, uri);
    return kind == null || !service.shouldSample(policy)
        ? way
        : way.withObserver(head -> observeRead(kind, head));
  }

  private PassThroughObserver.@Nullable ExchangeObserver observeRead(
      ReadKind kind, PassThroughObserver.Head head) {
    ShadowService.Route way =
        service.chooseRoute(policy, source.cluster(), head.originalUri(), head.bodyLength());
    if (way == null) {
      return null;
    }
    if (PassThroughReadRecorder.isBodyEncoded(head)) {
      service.report().recordSkip(ShadowSkipReason.ENCODED_BODY);
      return null;
    }
    return new PassThroughReadRecorder(
        service,
        new ShadowingHandler.SelectedRead(
            kind, policy, source, way, ShadowingHandler.Responder.NODE),
        requestPolicy,
        head,
        service.nanoTime());
  }
}
