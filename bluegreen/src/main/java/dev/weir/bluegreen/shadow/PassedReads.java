package dev.weir.bluegreen.shadow;

import dev.weir.config.policy.ShadowPolicy;
import dev.weir.model.PassedWatch;
import dev.weir.model.RequestPolicy;
import dev.weir.model.RequestRouter;
import org.jspecify.annotations.Nullable;

/**
 * Has some of the reads that pass through to nodes of a cluster repeated at nodes of another one,
 * after they were answered. Safe on any thread.
 *
 * @param whose whose reads they are
 * @param requests the policy that they go by
 * @param router decides which way they go
 * @param policy says which are repeated where
 */
public record PassedReads(
    Shadowing.Whose whose,
    RequestPolicy requests,
    RequestRouter router,
    ShadowPolicy policy,
    ShadowDesk desk)
    implements RequestRouter {

  @Override
  public Way route(String method, String uri) {
    Way way = router.route(method, uri);
    return way instanceof PassThrough through ? watched(through, method, uri) : way;
  }

  /** A body of this length is not copied. */
  @Override
  public PassThrough large(String method, String uri) {
    return router.large(method, uri);
  }

  @Override
  public PassThrough late(String method, String uri, String reason) {
    return watched(router.late(method, uri, reason), method, uri);
  }

  private PassThrough watched(PassThrough way, String method, String uri) {
    ReadKind kind = ReadKind.of(method, uri);
    return kind == null || !desk.draws(policy) ? way : way.watched(head -> begin(kind, head));
  }

  private PassedWatch.@Nullable Onlooker begin(ReadKind kind, PassedWatch.Head head) {
    ShadowDesk.Way way = desk.choose(policy, whose.cluster(), head.askedUri(), head.bodyLength());
    if (way == null) {
      return null;
    }
    if (PassedRead.isCoded(head)) {
      desk.report().shed(Shed.CODED_BODY);
      return null;
    }
    return new PassedRead(
        desk,
        new Shadowing.Asked(kind, policy, whose, way, Shadowing.By.NODE),
        requests,
        head,
        desk.now());
  }
}
