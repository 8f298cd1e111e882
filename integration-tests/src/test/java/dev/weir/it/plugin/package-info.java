/** What nodes do with Weir's plugin, and that they serve as before without it. */
@NullMarked
package dev.weir.it.plugin;

import org.jspecify.annotations.NullMarked;
