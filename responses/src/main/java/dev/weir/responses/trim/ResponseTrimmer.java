package dev.weir.responses.trim;

import dev.weir.config.policy.TrimmingPolicy;
import dev.weir.config.policy.TrimmingPolicy.Part;
import dev.weir.core.actions.SearchTrimmer;
import dev.weir.core.reduce.response.SearchTrimming;
import dev.weir.model.PolicySectionRegistry;
import dev.weir.model.RequestContext;
import dev.weir.model.RequestPolicies;
import dev.weir.model.RequestPolicy;
import dev.weir.model.ResponseOptions;
import dev.weir.model.ResponseOptions.HitParts;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.opensearch.action.search.SearchRequest;
import org.opensearch.cluster.ClusterState;
import org.opensearch.core.index.Index;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;

/**
 * Decides which parts of a search response are dropped, and narrows the requests to nodes
 * accordingly. The reason is the request itself ({@code trim=...}), a rule of the policy, or a
 * {@code filter_path} that excludes the parts. Safe on any thread.
 */
public final class ResponseTrimmer implements SearchTrimmer {
  private static final String FILTER_PATH = "filter_path";

  /** The maximum number of counted profiles that no policy names any longer. */
  private static final int MAX_COUNTED_PROFILES = 1000;

  private final Map<String, TrimCounts> profileCounts = new ConcurrentHashMap<>();
  private final SourceEnabledIndices sourceEnabledIndices = new SourceEnabledIndices();
  private final RequestPolicy.Section<TrimProfiles> section;

  /** Registers the trimming section of policies. */
  public ResponseTrimmer(PolicySectionRegistry<TrimmingPolicy> sections) {
    countsOf(FILTER_PATH);
    section = sections.register((name, says, before) -> new TrimProfiles(says));
  }

  /**
   * Starts to count profiles that policies name; drops counters of other profiles beyond a bound.
   */
  public void retainProfiles(RequestPolicies named) {
    Set<String> names =
        named.all().stream()
            .flatMap(policy -> policy.get(section).profileNames().stream())
            .collect(Collectors.toSet());
    if (profileCounts.size() > MAX_COUNTED_PROFILES) {
      profileCounts.keySet().removeIf(name -> !name.equals(FILTER_PATH) && !names.contains(name));
    }
    names.forEach(this::countsOf);
  }

  /** Returns the counters by profile. */
  public List<TrimCounts> profileCounts() {
    return List.copyOf(profileCounts.values());
  }

  /** Returns true if the responses of a policy may depend on the client. */
  public boolean isClientDependent(RequestPolicy policy) {
    return !policy.get(section).hasNoRules();
  }

  private TrimCounts countsOf(String profile) {
    return profileCounts.computeIfAbsent(profile, TrimCounts::new);
  }

  /**
   * Determines the dropped parts of a search and narrows the search in place; {@link
   * #narrowDocuments} does the same for fields of documents.
   *
   * @throws IllegalArgumentException if the request names an unknown profile or part
   */
  @Override
  public ResponseTrimSpec narrow(SearchRequest request, RequestContext context) {
    ResponseOptions requested = context.search().responseOptions();
    if (requested == null) {
      return ResponseTrimSpec.NONE;
    }
    TrimProfiles.TrimSelection chosen = selectParts(requested, context, request);
    HitParts read = requested.hitParts();
    if (chosen == null) {
      return trimUnread(request, read);
    }
    Set<Part> dropped = EnumSet.noneOf(Part.class);
    dropped.addAll(chosen.drop());
    SearchSourceBuilder source = request.source();
    if (source.fetchSource() != null) {
      dropped.remove(Part.SOURCE);
    }
    if (dropped.contains(Part.HITS)) {
      read = HitParts.NONE;
    } else if (dropped.contains(Part.SOURCE) && HitParts.NO_SOURCE.isLessThan(read)) {
      read = HitParts.NO_SOURCE;
    }
    FetchSourceContext fields = narrowedSource(source, chosen);
    if (dropped.isEmpty() && fields == null) {
      return trimUnread(request, read);
    }
    HitParts fetched = FetchNarrower.narrow(request, read);
    if (dropped.contains(Part.HITS) && FetchNarrower.isPossible(request)) {
      fetched = HitParts.NONE; // even where the fetch phase could fail
    }
    return new ResponseTrimSpec(
        dropped, fetched, fetched == HitParts.ALL ? fields : null, countsOf(chosen.name()));
  }

  /** Drops the parts that the client does not read from the fetch phase. */
  private ResponseTrimSpec trimUnread(SearchRequest request, HitParts read) {
    HitParts fetched = FetchNarrower.narrow(request, read);
    return fetched == HitParts.ALL
        ? ResponseTrimSpec.NONE
        : new ResponseTrimSpec(Set.of(), fetched, null, countsOf(FILTER_PATH));
  }

  /**
   * Makes nodes filter documents to the remaining fields, unless an index has no {@code _source}: a
   * node fails a search that filters it there.
   */
  @Override
  public SearchTrimming narrowDocuments(
      SearchTrimming trimming, SearchRequest request, ClusterState state, List<Index> indices) {
    if (!(trimming instanceof ResponseTrimSpec trim) || trim.sourceFilter() == null) {
      return trimming;
    }
    boolean hasSources = sourceEnabledIndices.isSourceEnabled(state.metadata(), indices);
    request.source().fetchSource(hasSources ? trim.sourceFilter() : null);
    return hasSources ? trim : trim.withWholeDocuments();
  }

  private TrimProfiles.@Nullable TrimSelection selectParts(
      ResponseOptions requested, RequestContext context, SearchRequest request) {
    TrimProfiles now = context.resources().policy().get(section);
    TrimProfiles.TrimSelection chosen =
        requested.trim().isEmpty()
            ? now.selectionByRules(requested.userAgent(), context.tenant(), request.indices())
            : now.requestedSelection(requested.trim());
    SearchSourceBuilder source = request.source();
    boolean whole =
        source == null
            || request.scroll() != null
            || source.profile()
            || (source.ext() != null && !source.ext().isEmpty());
    return whole ? null : chosen;
  }

  /**
   * Returns the filter of whole documents that the request does not explicitly want; otherwise
   * null.
   */
  private static @Nullable FetchSourceContext narrowedSource(
      SearchSourceBuilder source, TrimProfiles.TrimSelection chosen) {
    boolean some = !chosen.includes().isEmpty() || !chosen.excludes().isEmpty();
    boolean scripted = source.scriptFields() != null && !source.scriptFields().isEmpty();
    return some
            && source.size() != 0 // a changed request would miss the request cache
            && source.fetchSource() == null
            && source.storedFields() == null
            && !scripted
        ? new FetchSourceContext(
            true,
            chosen.includes().toArray(String[]::new),
            chosen.excludes().toArray(String[]::new))
        : null;
  }
}
