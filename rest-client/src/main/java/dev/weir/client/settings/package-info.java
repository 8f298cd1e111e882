/** The settings of a cluster as its REST API writes them. Immutable values. */
@NullMarked
package dev.weir.client.settings;

import org.jspecify.annotations.NullMarked;
