package dev.weir.responses.columnar;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.regex.Regex;
import org.opensearch.search.builder.SearchSourceBuilder;
import org.opensearch.search.fetch.subphase.FetchSourceContext;
import org.opensearch.search.fetch.subphase.FieldAndFormat;
import org.opensearch.search.sort.ScoreSortBuilder;

/**
 * What a search says of the columns of its hits.
 *
 * @param scored whether hits have scores
 * @param versioned whether they have versions
 * @param numbered whether they have sequence numbers
 * @param names the fields that it names without wildcards, in that order
 * @param reformatted the fields whose values it wants in a format that it says, with wildcards
 */
record AskedColumns(
    boolean scored,
    boolean versioned,
    boolean numbered,
    List<String> names,
    List<String> reformatted) {
  /** Those of a search that says nothing. */
  static final AskedColumns PLAIN = new AskedColumns(true, false, false, List.of(), List.of());

  static AskedColumns of(SearchSourceBuilder source) {
    return new AskedColumns(
        isScored(source),
        Boolean.TRUE.equals(source.version()),
        Boolean.TRUE.equals(source.seqNoAndPrimaryTerm()),
        names(source),
        reformatted(source));
  }

  /** Whether a field's values come in a format that the search says. */
  boolean isReformatted(String field) {
    return Regex.simpleMatch(reformatted, field);
  }

  private static boolean isScored(SearchSourceBuilder source) {
    return source.sorts() == null
        || source.sorts().isEmpty()
        || source.trackScores()
        || source.sorts().stream().anyMatch(ScoreSortBuilder.class::isInstance);
  }

  private static List<String> names(SearchSourceBuilder source) {
    Set<String> names = new LinkedHashSet<>();
    named(source.fetchFields()).forEach(names::add);
    named(source.docValueFields()).forEach(names::add);
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

  private static List<String> reformatted(SearchSourceBuilder source) {
    return Stream.of(all(source.fetchFields()), all(source.docValueFields()))
        .flatMap(fields -> fields)
        .filter(field -> field.format != null)
        .map(field -> field.field)
        .distinct()
        .toList();
  }

  private static Stream<String> named(@Nullable List<FieldAndFormat> fields) {
    return all(fields).map(field -> field.field);
  }

  private static Stream<FieldAndFormat> all(@Nullable List<FieldAndFormat> fields) {
    return fields == null ? Stream.empty() : fields.stream();
  }

  /** Whether it names fields that come apart from the documents. */
  static boolean namesFields(SearchSourceBuilder source) {
    return notEmpty(source.fetchFields())
        || notEmpty(source.docValueFields())
        || notEmpty(source.scriptFields());
  }

  private static boolean notEmpty(@Nullable List<?> fields) {
    return fields != null && !fields.isEmpty();
  }
}
