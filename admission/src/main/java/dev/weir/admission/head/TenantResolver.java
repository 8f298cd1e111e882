package dev.weir.admission.head;

import dev.weir.config.policy.TenantsPolicy;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestHead;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Determines a request's tenant from its headers. A tenant's name has at most {@value
 * ClientNameSanitizer#MAX_LENGTH} characters; a request without one belongs to {@link
 * RequestContext#DEFAULT_TENANT}. Immutable; safe on any thread.
 */
public final class TenantResolver {
  private final TenantsPolicy policy;

  public TenantResolver(TenantsPolicy policy) {
    this.policy = policy;
  }

  /**
   * Returns whether the policy assigns all requests to one tenant, so that {@link #resolve} is not
   * needed.
   */
  public boolean isSingleTenant() {
    return policy.source() == TenantsPolicy.TenantSource.NONE;
  }

  /** Returns the tenant of a request. */
  public String resolve(RequestHead head) {
    String found =
        switch (policy.source()) {
          case NONE -> null;
          case HEADER -> head.header(policy.header());
          case USER -> user(head);
          case INDEX -> index(head.uri());
          case CLIENT_ADDRESS -> ClientAddress.of(head.remoteAddress());
        };
    String name = found == null ? "" : found.trim();
    return name.isEmpty() ? RequestContext.DEFAULT_TENANT : ClientNameSanitizer.sanitize(name);
  }

  private @Nullable String user(RequestHead head) {
    String value = policy.header().isEmpty() ? null : head.header(policy.header());
    return value == null || value.isBlank() ? UserResolver.resolve(head) : value;
  }

  private @Nullable String index(String uri) {
    if (!IndexPathParser.hasIndex(uri)) {
      return null;
    }
    List<String> indices = IndexPathParser.parse(uri);
    if (policy.indexPatterns().isEmpty()) {
      return indices.getFirst();
    }
    for (String pattern : policy.indexPatterns()) {
      for (String index : indices) {
        if (GlobPatterns.canOverlap(pattern, index)) {
          return pattern;
        }
      }
    }
    return null;
  }
}
