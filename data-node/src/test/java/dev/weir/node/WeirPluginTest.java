package dev.weir.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opensearch.Version;
import org.opensearch.common.settings.IndexScopedSettings;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.settings.SettingsModule;
import org.opensearch.plugins.PluginInfo;
import org.opensearch.plugins.PluginsService;

/** The plugin together with OpenSearch's own classes. */
final class WeirPluginTest {
  private static final String KEY = "index.bulk_routing.enabled";

  @Test
  void loadThePluginAndRegisterItsSetting(@TempDir Path config) {
    PluginsService plugins =
        new PluginsService(Settings.EMPTY, config, null, null, List.of(descriptor()));

    IndexScopedSettings known =
        new SettingsModule(Settings.EMPTY, plugins.getPluginSettings(), List.of(), Set.of())
            .getIndexScopedSettings();

    assertThat(known.get(KEY)).isEqualTo(WeirPlugin.BULK_ROUTING);
    assertThat(known.isDynamicSetting(KEY)).isTrue();
    known.validate(Settings.builder().put(KEY, true).build(), true);
  }

  @Test
  void rejectTheSettingWithoutThePlugin() {
    assertThatThrownBy(() ->
            IndexScopedSettings.DEFAULT_SCOPED_SETTINGS.validate(
                Settings.builder().put(KEY, true).build(), true))
        .hasMessageContaining("unknown setting [" + KEY + "]");
  }

  @Test
  void disableTheSettingByDefault() {
    assertThat(WeirPlugin.BULK_ROUTING.get(Settings.EMPTY)).isFalse();
    assertThat(WeirPlugin.BULK_ROUTING.get(Settings.builder().put(KEY, "true").build())).isTrue();
    assertThatThrownBy(
            () -> WeirPlugin.BULK_ROUTING.get(Settings.builder().put(KEY, "perhaps").build()))
        .hasMessageContaining("[perhaps]");
  }

  @Test
  void knowsTheJdkAndWhatANodeHasAlone() {
    JavaClasses plugin =
        new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.weir.node");
    ArchRuleDefinition.classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "dev.weir.node..",
            "java..",
            "org.opensearch..",
            "org.apache.lucene..",
            "org.apache.logging.log4j",
            "com.github.luben.zstd..",
            "org.jspecify..")
        .check(plugin);
    assertThat(plugin)
        .isNotEmpty()
        .allMatch(clazz -> clazz.getPackage().isAnnotatedWith(NullMarked.class));
  }

  private static PluginInfo descriptor() {
    return new PluginInfo(
        "weir-data-node",
        "from the class path",
        "1",
        Version.CURRENT,
        "21",
        WeirPlugin.class.getName(),
        null,
        List.of(),
        false);
  }
}
