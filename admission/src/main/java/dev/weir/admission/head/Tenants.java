package dev.weir.admission.head;

import dev.weir.config.policy.TenantsPolicy;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Tells by a request's head whose it is. A name has at most {@value Names#LONGEST} characters; who
 * can't be told is {@link RequestContext#DEFAULT_TENANT}. Immutable; safe on any thread.
 */
public final class Tenants {
  private final TenantsPolicy policy;

  /** Tells by a policy. */
  public Tenants(TenantsPolicy policy) {
    this.policy = policy;
  }

  /** Whether all requests are one tenant's: nobody needs to ask. */
  public boolean one() {
    return policy.by() == TenantsPolicy.By.NONE;
  }

  /** Whose request it is. */
  public String of(RequestHead head) {
    String found =
        switch (policy.by()) {
          case NONE -> null;
          case HEADER -> head.header(policy.header());
          case USER -> user(head);
          case INDEX -> index(head.uri());
          case CLIENT_ADDRESS -> ClientAddress.of(head.remoteAddress());
        };
    String name = found == null ? "" : found.trim();
    return name.isEmpty() ? RequestContext.DEFAULT_TENANT : Names.of(name);
  }

  private @Nullable String user(RequestHead head) {
    String told = policy.header().isEmpty() ? null : head.header(policy.header());
    return told == null || told.isBlank() ? Users.of(head) : told;
  }

  private @Nullable String index(String uri) {
    if (!Indices.named(uri)) {
      return null;
    }
    List<String> indices = Indices.of(uri);
    if (policy.indexPatterns().isEmpty()) {
      return indices.getFirst();
    }
    for (String pattern : policy.indexPatterns()) {
      for (String index : indices) {
        if (Globs.meet(pattern, index)) {
          return pattern;
        }
      }
    }
    return null;
  }
}
