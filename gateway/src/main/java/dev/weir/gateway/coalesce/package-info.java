/** Identical searches that are under way at the same time run once. */
@NullMarked
package dev.weir.gateway.coalesce;

import org.jspecify.annotations.NullMarked;
