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
 * Says what of a search's answer is left out, and asks nodes for no more than the rest: because the
 * request says so ({@code trim=...}), because a rule does, or because its {@code filter_path} shows
 * that nobody reads it. Safe on any thread.
 */
public final class ResponseTrimmer implements SearchTrimmer {
  private static final String FILTER_PATH = "filter_path";

  /** Counts of profiles that are not in the policy any more are kept up to so many. */
  private static final int MAX_COUNTED_PROFILES = 1000;

  private final Map<String, TrimCounts> profileCounts = new ConcurrentHashMap<>();
  private final SourceEnabledIndices sourceEnabledIndices = new SourceEnabledIndices();
  private final RequestPolicy.Section<TrimProfiles> section;

  /** Goes by what policies say of it. */
  public ResponseTrimmer(PolicySectionRegistry<TrimmingPolicy> sections) {
    countsOf(FILTER_PATH);
    section = sections.register((name, says, before) -> new TrimProfiles(says));
  }

  /** Begins to count what policies name, and forgets counts beyond a bound that none does. */
  public void profileCounts(RequestPolicies named) {
    Set<String> names =
        named.all().stream()
            .flatMap(policy -> policy.get(section).profileNames().stream())
            .collect(Collectors.toSet());
    if (profileCounts.size() > MAX_COUNTED_PROFILES) {
      profileCounts.keySet().removeIf(name -> !name.equals(FILTER_PATH) && !names.contains(name));
    }
    names.forEach(this::countsOf);
  }

  /** What was saved, by profile. */
  public List<TrimCounts> profileCounts() {
    return List.copyOf(profileCounts.values());
  }

  /** Whether the answers to a policy's searches may depend on who asks. */
  public boolean isClientDependent(RequestPolicy policy) {
    return !policy.get(section).hasNoRules();
  }

  private TrimCounts countsOf(String profile) {
    return profileCounts.computeIfAbsent(profile, TrimCounts::new);
  }

  /**
   * What is left out of the answer to a search, which asks for no more from now on; but for the
   * fields of documents, see {@link #narrowDocuments}.
   *
   * @throws IllegalArgumentException when the request asks for what there is not
   */
  @Override
  public ResponseTrimSpec narrow(SearchRequest request, RequestContext context) {
    ResponseOptions wish = context.search().responseOptions();
    if (wish == null) {
      return ResponseTrimSpec.NONE;
    }
    TrimProfiles.TrimSelection chosen = selectParts(wish, context, request);
    HitParts read = wish.hitParts();
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
      fetched = HitParts.NONE; // whatever could have failed
    }
    return new ResponseTrimSpec(
        dropped, fetched, fetched == HitParts.ALL ? fields : null, countsOf(chosen.name()));
  }

  /** What is not fetched because nobody reads it. */
  private ResponseTrimSpec trimUnread(SearchRequest request, HitParts read) {
    HitParts fetched = FetchNarrower.narrow(request, read);
    return fetched == HitParts.ALL
        ? ResponseTrimSpec.NONE
        : new ResponseTrimSpec(Set.of(), fetched, null, countsOf(FILTER_PATH));
  }

  /**
   * Has nodes cut documents down to the fields that are left, unless an index keeps no documents: a
   * node fails a search that asks for fields of them.
   */
  @Override
  public SearchTrimming narrowDocuments(
      SearchTrimming trimming, SearchRequest request, ClusterState state, List<Index> indices) {
    if (!(trimming instanceof ResponseTrimSpec trim) || trim.sourceFilter() == null) {
      return trimming;
    }
    boolean kept = sourceEnabledIndices.isSourceEnabled(state.metadata(), indices);
    request.source().fetchSource(kept ? trim.sourceFilter() : null); // also after an earlier state
    return kept ? trim : trim.withWholeDocuments();
  }

  private TrimProfiles.@Nullable TrimSelection selectParts(
      ResponseOptions wish, RequestContext context, SearchRequest request) {
    TrimProfiles now = context.resources().policy().get(section);
    TrimProfiles.TrimSelection chosen =
        wish.trim().isEmpty()
            ? now.selectionByRules(wish.userAgent(), context.tenant(), request.indices())
            : now.requestedSelection(wish.trim());
    SearchSourceBuilder source = request.source();
    boolean whole =
        source == null
            || request.scroll() != null
            || source.profile()
            || (source.ext() != null && !source.ext().isEmpty());
    return whole ? null : chosen;
  }

  /** Where documents come whole that nobody asked for in so many words; null elsewhere. */
  private static @Nullable FetchSourceContext narrowedSource(
      SearchSourceBuilder source, TrimProfiles.TrimSelection chosen) {
    boolean some = !chosen.includes().isEmpty() || !chosen.excludes().isEmpty();
    boolean scripted = source.scriptFields() != null && !source.scriptFields().isEmpty();
    return some
            && source.size() != 0 // there are none; and the nodes' request cache knows it as it is
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
