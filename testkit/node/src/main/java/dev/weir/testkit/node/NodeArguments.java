package dev.weir.testkit.node;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.opensearch.common.settings.Settings;
import org.opensearch.env.Environment;
import org.opensearch.node.InternalSettingsPreparer;

/**
 * A data node's command line, parsed: its folder, its settings, and the plugins beyond the stock
 * modules.
 *
 * @param home the folder that holds the node's configuration, data and logs
 * @param settings the settings of the command line
 * @param plugins extra plugins, in the given order
 */
record NodeArguments(Path home, Settings settings, List<ExtraPlugin> plugins) {
  private static final String PLUGIN = "--plugin=";
  private static final String LOGGING = "log4j2.properties";

  static NodeArguments parse(List<String> args) {
    Settings.Builder settings = Settings.builder();
    List<ExtraPlugin> plugins = new ArrayList<>();
    for (String arg : args.subList(1, args.size())) {
      int equals = arg.indexOf('=');
      if (equals <= 0) {
        throw new IllegalArgumentException(
            "got [" + arg + "] (expected: setting=value or --plugin=[NAME:]CLASS)");
      }
      if (arg.startsWith(PLUGIN)) {
        plugins.add(ExtraPlugin.parse(arg.substring(PLUGIN.length())));
      } else {
        put(settings, arg.substring(0, equals), arg.substring(equals + 1));
      }
    }
    return new NodeArguments(
        Path.of(args.getFirst()).toAbsolutePath(), settings.build(), List.copyOf(plugins));
  }

  private static void put(Settings.Builder settings, String key, String value) {
    if (value.isEmpty()) {
      settings.putList(key, List.of());
    } else {
      settings.put(key, value);
    }
  }

  String nodeName() {
    return settings.get("node.name", "node");
  }

  /** The node's environment; writes the logging configuration that it will find. */
  Environment prepareEnvironment() throws IOException {
    Path config = Files.createDirectories(home.resolve("config"));
    Files.createDirectories(home.resolve("logs"));
    try (InputStream logging = NodeArguments.class.getResourceAsStream(LOGGING)) {
      if (logging == null) {
        throw new IOException("got no resource " + LOGGING + " beside " + NodeArguments.class);
      }
      Files.copy(logging, config.resolve(LOGGING), StandardCopyOption.REPLACE_EXISTING);
    }
    Settings all = Settings.builder().put("path.home", home.toString()).put(settings).build();
    return InternalSettingsPreparer.prepareEnvironment(all, Map.of(), config, this::nodeName);
  }
}
