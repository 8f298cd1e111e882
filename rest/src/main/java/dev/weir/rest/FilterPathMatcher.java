package dev.weir.rest;

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
 * Says what of hits {@code filter_path} lets through, by the very filters that write the answer:
 * what lies behind a path that one of them stops at is not read.
 */
final class FilterPathMatcher {
  /** What comes out of stored fields, and what refers to that. */
  private static final List<String> STORED_FIELD_KEYS =
      List.of("_id", "_routing", "_ignored", "_nested", "fields", "inner_hits");

  private final List<TokenFilter> filters;

  private FilterPathMatcher(List<TokenFilter> filters) {
    this.filters = filters;
  }

  /**
   * What is read of hits.
   *
   * @param filterPath the parameter; null for none
   * @param above the path to a search's answer in the whole
   */
  static HitParts hitParts(@Nullable String filterPath, List<String> above) {
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

  /** What is let through of a member; null for nothing. */
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
