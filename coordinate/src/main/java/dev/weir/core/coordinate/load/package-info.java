/**
 * What nodes with the plugin report of their load: which calls ask for it, and the newest reports.
 */
@NullMarked
package dev.weir.core.coordinate.load;

import org.jspecify.annotations.NullMarked;
