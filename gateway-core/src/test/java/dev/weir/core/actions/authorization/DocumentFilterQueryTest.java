package dev.weir.core.actions.authorization;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DocumentFilterQueryTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{'match_all': {}}",
        "{'term': {'region': 'north'}}",
        "{'term': {'owner': '${user.name}'}}",
        "{'terms': {'group': [${user.roles}]}}",
        "{'terms': {'group': ['a', 'b'], 'boost': 2}}",
        "{'bool': {'must': {'term': {'a': 1}}, 'filter': [{'range': {'b': {'gt': 1}}}]}}",
        "{'bool': {'should': [{'exists': {'field': 'a'}}], 'minimum_should_match': 1}}",
        "{'constant_score': {'filter': {'ids': {'values': ['1']}}}}"
      })
  void leaveQueriesAboutTheDocumentToDataNodes(String query) {
    assertThat(DocumentFilterQuery.isAppliedByDataNodes(query.replace('\'', '"'))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "[]",
        "?",
        "{'terms': {'a': {'index': 'i', 'id': '1', 'path': 'p'}}}",
        "{'bool': {'must_not': [{'terms': {'a': {'index': 'i', 'id': '1', 'path': 'p'}}}]}}",
        "{'constant_score': {'filter': {'terms': {'a': {'index': 'i'}}}}}",
        "{'nested': {'path': 'p', 'query': {'match_all': {}}}}",
        "{'wrapper': {'query': 'e30='}}",
        "{'\\u0074erms': {'a': {'index': 'i'}}}",
        "{'term': {'a': '${user.name'}}",
        "{'term': {'a': 1}, 'terms': {'a': {'index': 'i'}}}",
        "{'bool': {'unknown': [{'match_all': {}}]}}",
        "{'bool': {'must': null}}",
        "{'bool': [1]}"
      })
  void leaveEveryOtherQueryToTheCoordinatingNode(String query) {
    assertThat(DocumentFilterQuery.isAppliedByDataNodes(query.replace('\'', '"'))).isFalse();
  }
}
