package dev.weir.cluster.bounds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.opensearch.Version;
import org.opensearch.cluster.metadata.IndexMetadata;
import org.opensearch.common.settings.Settings;

class DateFieldFinderTest {
  private static @Nullable String format(String mapping, String field) throws IOException {
    IndexMetadata index =
        IndexMetadata.builder("i")
            .settings(
                Settings.builder()
                    .put(IndexMetadata.SETTING_VERSION_CREATED, Version.CURRENT)
                    .put(IndexMetadata.SETTING_NUMBER_OF_SHARDS, 1)
                    .put(IndexMetadata.SETTING_NUMBER_OF_REPLICAS, 0))
            .putMapping("{\"_doc\":" + mapping.replace('\'', '"') + "}")
            .build();
    return DateFieldFinder.findFormat(index, field);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'properties':{'t':{'type':'date'}}} | t | ``",
        "{'properties':{'t':{'type':'date','format':'epoch_second','null_value':0}}} | t |"
            + " epoch_second",
        "{'properties':{'a':{'properties':{'t':{'type':'date'}}}}} | a.t | ``",
        "{'properties':{'a':{'type':'object','properties':{'b.t':{'type':'date'}}}}} | a.b.t | ``",
        "{'properties':{'a.t':{'type':'date'}}} | a.t | ``"
      })
  void findsDates(String mapping, String field, String expected) throws IOException {
    assertThat(format(mapping, field)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'properties':{'t':{'type':'date_nanos'}}} | t",
        "{'properties':{'t':{'type':'long'}}} | t",
        "{'properties':{'t':{'type':'alias','path':'u'},'u':{'type':'date'}}} | t",
        "{'properties':{'t':{'type':'date','locale':'de'}}} | t",
        "{'properties':{'t':{'type':'date','doc_values':false}}} | t",
        "{'properties':{'t':{'type':'date','news':1}}} | t",
        "{'properties':{'a':{'type':'nested','properties':{'t':{'type':'date'}}}}} | a.t",
        "{'properties':{'u':{'type':'date','fields':{'t':{'type':'date'}}}}} | u.t",
        "{'derived':{'t':{'type':'date'}},'properties':{'t':{'type':'date'}}} | t",
        "{'properties':{}} | t",
        "{} | t"
      })
  void leavesOthersAlone(String mapping, String field) throws IOException {
    assertThat(format(mapping, field)).isNull();
  }
}
