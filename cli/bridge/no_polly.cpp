// LLVM's link-time optimiser registers Polly, which is a package of its own. Nothing here optimises at link time, so
// nothing ever asks for the plugin.

#include "llvm/Plugins/PassPlugin.h"

llvm::PassPluginLibraryInfo getPollyPluginInfo() { return {}; }
