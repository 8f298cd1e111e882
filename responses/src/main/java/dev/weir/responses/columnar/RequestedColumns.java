package dev.weir.responses.columnar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.StoredFieldsContext;
import org.opensearch.search.fetch.subphase.FetchSourceContext;
import org.opensearch.search.fetch.subphase.FieldAndFormat;
import org.opensearch.search.sort.ScoreSortBuilder;

/**
 * The columns that a search requests for its hits.
 *
 * @param hasScores hits have scores
 * @param hasVersions hits have versions
 * @param hasSequenceNumbers hits have sequence numbers
 * @param hasNamedQueryScores hits have the scores of the named queries that they match
 * @param fieldNames the fields that the search names without wildcards, in request order
 * @param reformattedFields the fields with a format in the request, with wildcards
 */
record RequestedColumns(
    boolean hasScores,
    boolean hasVersions,
    boolean hasSequenceNumbers,
    boolean hasNamedQueryScores,
    List<String> fieldNames,
    FieldPatterns reformattedFields) {
  /** The columns of a search without any such option. */
  static final RequestedColumns NONE =
      new RequestedColumns(true, false, false, false, List.of(), FieldPatterns.NONE);

  static RequestedColumns from(SearchSourceBuilder source) {
    return new RequestedColumns(
        isScored(source),
        Boolean.TRUE.equals(source.version()),
        Boolean.TRUE.equals(source.seqNoAndPrimaryTerm()),
        source.includeNamedQueriesScore(),
        fieldNames(source),
        reformattedFields(source));
  }

  /** Returns these columns with values that are dates only in documents, and else text. */
  RequestedColumns withoutDates(SearchSourceBuilder source) {
    return new RequestedColumns(
        hasScores,
        hasVersions,
        hasSequenceNumbers,
        hasNamedQueryScores,
        fieldNames,
        FieldPatterns.ofFields(
            Stream.concat(namesOf(source.fetchFields()), namesOf(source.docValueFields()))
                .toList()));
  }

  /** Returns true if the search specifies a format for this field. */
  boolean isReformatted(String field) {
    return reformattedFields.matches(field);
  }

  private static boolean isScored(SearchSourceBuilder source) {
    return source.sorts() == null
        || source.sorts().isEmpty()
        || source.trackScores()
        || source.sorts().stream().anyMatch(ScoreSortBuilder.class::isInstance);
  }

  private static List<String> fieldNames(SearchSourceBuilder source) {
    Set<String> names = new LinkedHashSet<>();
    namesOf(source.fetchFields()).forEach(names::add);
    namesOf(source.docValueFields()).forEach(names::add);
    if (source.storedFields() != null && source.storedFields().fieldNames() != null) {
      names.addAll(source.storedFields().fieldNames());
    }
    if (source.scriptFields() != null) {
      source.scriptFields().forEach(field -> names.add(field.fieldName()));
    }
    FetchSourceContext documents = source.fetchSource();
    if (documents != null && documents.fetchSource()) {
      names.addAll(Arrays.asList(documents.includes()));
    }
    names.removeIf(name -> name.isEmpty() || name.startsWith("_") || name.indexOf('*') >= 0);
    return new ArrayList<>(names);
  }

  private static FieldPatterns reformattedFields(SearchSourceBuilder source) {
    return FieldPatterns.ofFields(
        Stream.of(allFields(source.fetchFields()), allFields(source.docValueFields()))
            .flatMap(fields -> fields)
            .filter(field -> field.format != null)
            .map(field -> field.field)
            .toList());
  }

  private static Stream<String> namesOf(@Nullable List<FieldAndFormat> fields) {
    return allFields(fields).map(field -> field.field);
  }

  private static Stream<FieldAndFormat> allFields(@Nullable List<FieldAndFormat> fields) {
    return fields == null ? Stream.empty() : fields.stream();
  }

  /** Returns true if the search names fields outside of {@code _source}. */
  static boolean hasNamedFields(SearchSourceBuilder source) {
    return isNotEmpty(source.fetchFields())
        || isNotEmpty(source.docValueFields())
        || isNotEmpty(source.scriptFields());
  }

  /**
   * Returns true if all columns besides those of every hit are doc values of fields that the search
   * names without wildcards. Nodes check more, and know best whether columns say all of the hits.
   */
  static boolean areDocValues(@Nullable SearchSourceBuilder source) {
    return source != null
        && isNotEmpty(source.docValueFields())
        && namesOf(source.docValueFields()).noneMatch(name -> name.indexOf('*') >= 0)
        && !isNotEmpty(source.fetchFields())
        && !isNotEmpty(source.scriptFields())
        && (source.fetchSource() == null || !source.fetchSource().fetchSource())
        && hasNoStoredFields(source.storedFields())
        && source.collapse() == null
        && !Boolean.TRUE.equals(source.version())
        && !Boolean.TRUE.equals(source.seqNoAndPrimaryTerm())
        && !source.profile()
        && source.ext().isEmpty();
  }

  private static boolean hasNoStoredFields(@Nullable StoredFieldsContext stored) {
    return stored == null || !stored.fetchFields() || stored.fieldNames().isEmpty();
  }

  private static boolean isNotEmpty(@Nullable List<?> fields) {
    return fields != null && !fields.isEmpty();
  }
}
