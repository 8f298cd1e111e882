package dev.weir.bluegreen.traffic;

import dev.weir.admission.head.Actions;
import dev.weir.admission.head.ClientAddress;
import dev.weir.admission.head.Indices;
import dev.weir.admission.head.Tenants;
import dev.weir.admission.head.Users;
import dev.weir.config.policy.PacingPolicy.Action;
import dev.weir.config.policy.TrafficPolicy;
import dev.weir.model.RequestHead;
import dev.weir.routing.traffic.Routed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a request's head says of where it goes; what nobody asks for is not found out. */
final class AskedHead implements Routed {
  private final RequestHead head;
  private final Tenants tenants;
  private @Nullable Action action;
  private @Nullable List<String> indices;
  private @Nullable String tenant;

  AskedHead(RequestHead head, Tenants tenants) {
    this.head = head;
    this.tenants = tenants;
  }

  @Override
  public String method() {
    return head.method();
  }

  String uri() {
    return head.uri();
  }

  @Override
  public List<String> indices() {
    List<String> known = indices;
    if (known == null) {
      known = Indices.of(head.uri());
      indices = known;
    }
    return known;
  }

  @Override
  public Action action() {
    Action known = action;
    if (known == null) {
      known = Actions.of(head.method(), head.uri());
      action = known;
    }
    return known;
  }

  @Override
  public String tenant() {
    String known = tenant;
    if (known == null) {
      known = tenants.of(head);
      tenant = known;
    }
    return known;
  }

  @Override
  public @Nullable String user() {
    return Users.of(head);
  }

  @Override
  public @Nullable String header(String name) {
    return head.header(name);
  }

  /** Whether it changes nothing, so that any cluster may answer it. */
  boolean reads() {
    return Actions.reads(head.method(), head.uri());
  }

  /** What it is kept together by with others. */
  String key(TrafficPolicy.SplitBy by) {
    return switch (by) {
      case CLIENT -> {
        String address = ClientAddress.of(head.remoteAddress());
        yield address == null ? "" : address;
      }
      case TENANT -> tenant();
      case INDEX -> String.join(",", indices());
      case REQUEST -> {
        String said = head.header("X-Request-Id");
        yield said == null ? head.uri() + head.arrivedNanos() : said;
      }
    };
  }
}
