@NullMarked
package dev.weir.client.settings;

import org.jspecify.annotations.NullMarked;
