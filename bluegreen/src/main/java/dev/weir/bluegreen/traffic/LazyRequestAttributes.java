package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.ActionClassifier;
import dev.weir.admission.head.ClientAddress;
import dev.weir.admission.head.IndexPathParser;
import dev.weir.admission.head.TenantResolver;
import dev.weir.admission.head.UserResolver;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.model.RequestHead;
import dev.weir.routing.traffic.RoutableRequest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The attributes of a request that select its cluster, computed from its headers on first use. */
final class LazyRequestAttributes implements RoutableRequest {
  private final RequestHead headers;
  private final TenantResolver tenants;
  private @Nullable Action action;
  private @Nullable List<String> indices;
  private @Nullable String tenant;

  LazyRequestAttributes(RequestHead head, TenantResolver tenants) {
    this.headers = head;
    this.tenants = tenants;
  }

  @Override
  public String method() {
    return headers.method();
  }

  String uri() {
    return headers.uri();
  }

  @Override
  public List<String> indices() {
    List<String> known = indices;
    if (known == null) {
      known = IndexPathParser.parse(headers.uri());
      indices = known;
    }
    return known;
  }

  @Override
  public Action action() {
    Action known = action;
    if (known == null) {
      known = ActionClassifier.classify(headers.method(), headers.uri());
      action = known;
    }
    return known;
  }

  @Override
  public String tenant() {
    String known = tenant;
    if (known == null) {
      known = tenants.resolve(headers);
      tenant = known;
    }
    return known;
  }

  @Override
  public @Nullable String user() {
    return UserResolver.resolve(headers);
  }

  @Override
  public @Nullable String header(String name) {
    return headers.header(name);
  }

  /** Whether the request only reads, so that any cluster may answer it. */
  boolean isRead() {
    return ActionClassifier.isRead(headers.method(), headers.uri());
  }

  /** The key that keeps related requests on one cluster. */
  String splitKey(TrafficPolicy.SplitBy by) {
    return switch (by) {
      case CLIENT -> {
        String address = ClientAddress.of(headers.remoteAddress());
        yield address == null ? "" : address;
      }
      case TENANT -> tenant();
      case INDEX -> String.join(",", indices());
      case REQUEST -> {
        String requestId = headers.header("X-Request-Id");
        yield requestId == null ? headers.uri() + headers.arrivedNanos() : requestId;
      }
    };
  }
}
