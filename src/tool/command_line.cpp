// The implementation of command_line.hpp, by CLI11.
#include "command_line.hpp"
#include "common.hpp"
#include <CLI/CLI.hpp>

namespace inlay::tool {
option option::required() { return option(in_cli11->required()); }
option option::type_name(const std::string& name) { return option(in_cli11->type_name(name)); }
option option::capture_default_str() { return option(in_cli11->capture_default_str()); }
option option::delimiter(char c) { return option(in_cli11->delimiter(c)); }
option option::one_value_each() { return option(in_cli11->allow_extra_args(false)); }
option option::needs(const std::string& name) { return option(in_cli11->needs(name)); }
option option::excludes(const std::string& name) { return option(in_cli11->excludes(name)); }
option option::range(int least, int most) { return option(in_cli11->check(CLI::Range(least, most))); }
option option::range(double least, double most) { return option(in_cli11->check(CLI::Range(least, most))); }
option option::non_negative() { return option(in_cli11->check(CLI::NonNegativeNumber)); }
option option::hidden() { return option(in_cli11->group("")); }
option option::member_of(const std::vector<std::string>& values) {
    return option(in_cli11->check(CLI::IsMember(values)));
}

command command::add_command(const std::string& name, const std::string& about) {
    return command(in_cli11->add_subcommand(name, about));
}
option command::add_option(const std::string& names, std::string& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, int& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, double& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, std::uint64_t& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, std::optional<int>& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, std::optional<double>& value, const std::string& about) {
    return option(in_cli11->add_option(names, value, about));
}
option command::add_option(const std::string& names, std::vector<std::string>& values, const std::string& about) {
    return option(in_cli11->add_option(names, values, about));
}
option command::add_option(const std::string& names, std::vector<int>& values, const std::string& about) {
    return option(in_cli11->add_option(names, values, about));
}
option command::add_flag(const std::string& names, bool& value, const std::string& about) {
    return option(in_cli11->add_flag(names, value, about));
}
void command::on_choice(std::function<void()> f) { in_cli11->callback(std::move(f)); }
void command::footer(const std::string& end_of_help) { in_cli11->footer(end_of_help); }
std::string command::footer() const { return in_cli11->get_footer(); }
std::string command::name() const { return in_cli11->get_name(); }
std::string command::about() const { return in_cli11->get_description(); }
std::vector<command> command::commands() const {
    std::vector<command> list;
    for (CLI::App* a : in_cli11->get_subcommands({})) list.emplace_back(a);
    return list;
}
std::vector<listed_option> command::options() const {
    std::vector<listed_option> list;
    for (const CLI::Option* o : in_cli11->get_options())
        if (!o->get_group().empty())
            list.push_back({o->get_lnames(), o->get_snames(),
                            o->get_items_expected_max() == 0 ? "" : o->get_type_name(), o->get_positional(),
                            o->get_description()});
    return list;
}

program::program(const std::string& name, const std::string& about, const std::string& version)
    : program(std::make_shared<CLI::App>(about, name)) {
    owned->set_version_flag("--version", version);
    owned->require_subcommand(1);
}
program::program(std::shared_ptr<CLI::App> a) : command(a.get()), owned(std::move(a)) {}
std::optional<int> program::parse(int count, const char* const* words) {
    try {
        owned->parse(count, words);
    } catch (const CLI::ParseError& e) {
        if (e.get_exit_code() == int(CLI::ExitCodes::Success)) return owned->exit(e);  // --help, --version
        const auto commands = owned->get_subcommands();
        throw bad_usage(e.what(),
                        "see inlay " + (commands.empty() ? "" : commands.front()->get_name() + " ") + "--help");
    }
    return std::nullopt;
}

std::string_view cli11_version() { return CLI11_VERSION; }
}  // namespace inlay::tool
