package dev.weir.rest.parameters;

import dev.weir.model.ResponseOptions.HitParts;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.core.common.Strings;
import org.opensearch.core.xcontent.filtering.FilterPathBasedFilter;
import tools.jackson.core.filter.TokenFilter;

/**
 * Determines which parts of hits {@code filter_path} includes, with the same filters that write the
 * response. A part behind a path that a filter excludes is not read.
 */
public final class FilterPathMatcher {
  /** The keys that nodes read from stored fields or that refer to those. */
  private static final List<String> STORED_FIELD_KEYS =
      List.of("_id", "_routing", "_ignored", "_nested", "fields", "inner_hits");

  private final List<TokenFilter> filters;

  private FilterPathMatcher(List<TokenFilter> filters) {
    this.filters = filters;
  }

  /**
   * Returns the parts of hits that the response contains.
   *
   * @param filterPath the parameter; null for none
   * @param above the path from the whole response to a search response
   */
  public static HitParts hitParts(@Nullable String filterPath, List<String> above) {
    if (filterPath == null) {
      return HitParts.ALL;
    }
    Set<String> includes = new HashSet<>();
    Set<String> excludes = new HashSet<>();
    for (String path : Strings.tokenizeByCommaToSet(filterPath)) {
      if (path.charAt(0) == '-') {
        excludes.add(path.substring(1));
      } else {
        includes.add(path);
      }
    }
    List<TokenFilter> filters = new ArrayList<>(2);
    if (!includes.isEmpty()) {
      filters.add(new FilterPathBasedFilter(includes, true));
    }
    if (!excludes.isEmpty()) {
      filters.add(new FilterPathBasedFilter(excludes, false));
    }
    FilterPathMatcher whole = new FilterPathMatcher(filters);
    for (String name : above) {
      whole = whole == null ? null : whole.child(name);
    }
    FilterPathMatcher page = whole == null ? null : whole.child("hits");
    FilterPathMatcher hit = page == null ? null : page.child("hits");
    if (hit == null) {
      return HitParts.NONE;
    }
    if (hit.child("_source") != null) {
      return HitParts.ALL;
    }
    return STORED_FIELD_KEYS.stream().allMatch(name -> hit.child(name) == null)
        ? HitParts.NO_STORED_FIELDS
        : HitParts.NO_SOURCE;
  }

  /** Returns the filters of a member; null if it is excluded. */
  private @Nullable FilterPathMatcher child(String name) {
    List<TokenFilter> next = new ArrayList<>(filters.size());
    for (TokenFilter filter : filters) {
      TokenFilter member = filter.includeProperty(name);
      if (member == null) {
        return null;
      }
      next.add(member);
    }
    return new FilterPathMatcher(next);
  }
}
